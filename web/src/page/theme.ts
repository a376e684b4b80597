/** Light or dark: as the system has it until somebody chooses. */

const KEPT = "pellucid-theme";

/** Begin with what was chosen before, or with what the system has. */
export function openTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = () => apply(kept() ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", set);
  set();
}

export function toggleTheme(): void {
  const theme = document.documentElement.dataset["theme"] === "dark" ? "light" : "dark";
  apply(theme);
  try {
    localStorage.setItem(KEPT, theme);
  } catch {
    // A page in a sandbox keeps nothing: the theme holds for this visit.
  }
}

/** What a colour of the theme is now, for a canvas. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function apply(theme: string): void {
  document.documentElement.dataset["theme"] = theme;
}

function kept(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}
