/** Settings stored in the browser; null if a user or a company policy blocks storage. */

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
    // The value lasts until the page is closed.
  }
}
