/** What this browser remembers of its person; nothing where a person or a company has blocked what pages store. */

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It holds until the page is closed.
  }
}
