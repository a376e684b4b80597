/** Light or dark: as the system has it until somebody chooses. */

const KEPT = "pellucid-theme";

let theme = $state("light");

/** Begin with what was chosen before, or with what the system has. */
export function openTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = () => apply(kept() ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", set);
  set();
}

export function toggleTheme(): void {
  apply(theme === "dark" ? "light" : "dark");
  try {
    localStorage.setItem(KEPT, theme);
  } catch {
    // A page in a sandbox keeps nothing: the theme holds for this visit.
  }
}

/** What a colour of the theme is now: what draws with it draws again when the theme changes. */
export function colour(name: string): string {
  // Reading the theme is what tells an effect to run again.
  void theme;
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function apply(chosen: string): void {
  document.documentElement.dataset["theme"] = chosen;
  theme = chosen;
}

function kept(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}
