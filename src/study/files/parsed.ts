/** `undefined` for what is not JSON: files that a process was killed over may hold anything. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
