"""Colours as numbers: mixtures that look even, and whether ink can be read on them."""

from __future__ import annotations

Triple = tuple[float, float, float]

BLACK, WHITE = "#000000", "#ffffff"


def mixed(start: str, end: str, share: float) -> str:
    """The colour `share` of the way from one to the other, in OKLab (Ottosson, 2020)."""
    first, last = _oklab(_linear(start)), _oklab(_linear(end))
    between = ((1 - share) * a + share * b for a, b in zip(first, last, strict=True))
    return _coded(_from_oklab(*between))


def ink_on(colour: str) -> str:
    """Black or white, whichever stands out more; the contrast is never below 4.5 to 1."""
    return max((BLACK, WHITE), key=lambda ink: contrast(ink, colour))


def contrast(one: str, other: str) -> float:
    """How two colours stand out from each other, from 1 to 21 (WCAG 2.2, contrast ratio)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """Relative luminance, from 0 for black to 1 for white (WCAG 2.2)."""
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(colour: str) -> Triple:
    """Linear RGB of `#rrggbb` (IEC 61966-2-1, the sRGB transfer function)."""
    coded = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in coded)
    return red, green, blue


def _coded(linear: Triple) -> str:
    """`#rrggbb` of linear RGB, cut to what a screen can show."""
    within = (min(max(c, 0.0), 1.0) for c in linear)
    coded = (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in within)
    return "#" + "".join(f"{round(255 * c):02x}" for c in coded)


def _oklab(linear: Triple) -> Triple:
    red, green, blue = linear
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _from_oklab(light: float, green_red: float, blue_yellow: float) -> Triple:
    long = (light + 0.3963377774 * green_red + 0.2158037573 * blue_yellow) ** 3
    medium = (light - 0.1055613458 * green_red - 0.0638541728 * blue_yellow) ** 3
    short = (light - 0.0894841775 * green_red - 1.2914855480 * blue_yellow) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
