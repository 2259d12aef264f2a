/** Describes why the file system could not read a file. */
export function readTrouble(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'ENOTDIR') return 'a part of this path is not a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'the file may not be read with the rights of this user';
  if (code === 'EISDIR') return 'this is a folder, not a file';
  return `the file cannot be read (${code ?? 'unknown reason'})`;
}
