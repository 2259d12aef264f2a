/**
 * Monitor that prints its address once there is something to see: as a line, and as a QR code for phones. Tokens that
 * operate the robot are shown on a terminal only, and never written to a file.
 */
import { type Monitor, type MonitorRequest, openMonitor } from './monitor.ts';

export interface NamingOptions {
  /** Prints lines for the user. */
  readonly print: (lines: string) => void;
  /** Destination of these lines: a terminal, or a file that others may read. */
  readonly stream: { readonly isTTY?: boolean; readonly columns?: number };
  /** Option that gives a token where none can be shown. */
  readonly tokenOption: string;
}

/** Opens a monitor and prints its address as soon as the run has something to show: a refused run prints none. */
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
    // A file gets the page's address without its token.
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

/** White on black, whatever the terminal's colours: cameras need a light margin. */
const [LIGHT, PLAIN] = ['\x1b[97;40m', '\x1b[0m'];
/** Modules around the code; the standard's 4 are more than phones need. */
const MARGIN = 2;

/** `text` as a QR code of half blocks, two modules a row, at most `columns` wide; a sentence if that is too narrow. */
export async function qrCode(text: string, columns: number): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  const lines = renderUnicodeCompact(text, { border: MARGIN }).split('\n');
  const width = lines[0]!.length;
  if (width > columns) return `A QR code of that address needs ${width} columns.`;
  return lines.map((line) => `${LIGHT}${line}${PLAIN}`).join('\n');
}
