/**
 * A monitor that says where it is, once there is something to see: by a line, and by a QR code for phones. What gives a right to move the robot
 * is shown to the eyes of whoever sits at the terminal, and to no file.
 */
import { type Monitor, type MonitorRequest, openMonitor } from './monitor.ts';

export interface NamingOptions {
  /** Takes lines for people. */
  readonly print: (lines: string) => void;
  /** Where these lines end: a terminal, or a file that others may read. */
  readonly stream: { readonly isTTY?: boolean; readonly columns?: number };
  /** How a token is given where none can be shown. */
  readonly tokenOption: string;
}

/** `openMonitor`, and its address is said as soon as the run has something to show: one that is refused names no page. */
export async function openNamedMonitor(
  request: MonitorRequest,
  { print, stream, tokenOption }: NamingOptions,
): Promise<Monitor | undefined> {
  const monitor = await openMonitor(request, print);
  if (monitor === undefined) return undefined;
  const isTerminal = stream.isTTY === true;
  const { address, secretAddress, phoneAddress, viewerAddress } = monitor;
  const code = isTerminal && phoneAddress !== undefined ? await qrCode(phoneAddress, stream.columns ?? 80) : undefined;
  let isSaid = false;
  const say = (): void => {
    if (isSaid) return;
    isSaid = true;
    const isHidden = !isTerminal && address !== secretAddress && request.monitorToken === undefined;
    const rights = isHidden
      ? ` (to watch and to stop; ${tokenOption} lets a page operate where there is no terminal)`
      : '';
    print(`monitor: ${isTerminal ? secretAddress : address}${rights}`);
    if (isTerminal && viewerAddress !== undefined) print(`monitor, for Foxglove (only watches): ${viewerAddress}`);
    // By a file whoever reads it finds the page, and nobody the token.
    const outside = phoneAddress?.replace(/#.*$/, '');
    if (!isTerminal && outside !== undefined && outside !== address) print(`monitor, for other machines: ${outside}`);
    if (code === undefined) return;
    if (phoneAddress !== secretAddress) print(`monitor, for other machines: ${phoneAddress}`);
    print(code);
  };
  return {
    ...monitor,
    packet: (packet) => {
      say();
      monitor.packet(packet);
    },
    asks: (to) => {
      say();
      monitor.asks(to);
    },
  };
}

/** White on black, whatever the terminal's own colours: cameras want a light margin. */
const [LIGHT, PLAIN] = ['\x1b[97;40m', '\x1b[0m'];
/** Modules around the code; the standard's 4 are more than phones need. */
const MARGIN = 2;

/** `text` as a QR code of half blocks, two modules a row, at most `columns` wide; a sentence where that is too narrow. */
export async function qrCode(text: string, columns: number): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  const lines = renderUnicodeCompact(text, { border: MARGIN }).split('\n');
  const width = lines[0]!.length;
  if (width > columns) return `A QR code of that address needs ${width} columns.`;
  return lines.map((line) => `${LIGHT}${line}${PLAIN}`).join('\n');
}
