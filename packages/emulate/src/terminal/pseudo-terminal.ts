/** Serial port without hardware: a pseudo-terminal whose master is held by this process. Linux. */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { makeFolder } from '../../../../src/host/index.ts';
import { messageOf, ReinError } from '../../../../src/model/index.ts';

/** Programs that do `ioctl(fd, TIOCSPTLCK, &0)`, which Node lacks, on the inherited descriptor 3; the first one installed is used. */
const UNLOCKERS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['perl', '-e', 'open(my $m, "+<&=3") or die $!; my $n = pack("i", 0); ioctl($m, 0x40045431, $n) or die $!'],
  ['python3', '-c', 'import fcntl, struct; fcntl.ioctl(3, 0x40045431, struct.pack("i", 0))'],
];
/** Limit of unread bytes: the kernel keeps 8 KiB of a pseudo-terminal (Linux, drivers/tty/pty.c) and then blocks the writer. */
const UNREAD_MAX_BYTES = 4096;

/** Both ends open: the master as the device, the slave so that the port persists while no host has it open. */
export class PseudoTerminal {
  /** Path that the host opens, e.g. `/dev/pts/3`. */
  readonly path: string;
  /** The device's end. Reads block until there is something. */
  readonly masterFd: number;
  readonly #slaveFd: number;
  readonly #waste: Uint8Array = new Uint8Array(4096);
  #unread = 0;
  #lost = 0;
  #isOpen = true;

  /** Throws `ReinError('environment')` if this machine has no pseudo-terminals. */
  constructor() {
    this.masterFd = openMaster();
    try {
      unlock(this.masterFd);
      this.path = slavePath(this.masterFd);
      this.#slaveFd = openSync(this.path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    } catch (error) {
      closeSync(this.masterFd);
      throw error;
    }
    makeRaw(this.path);
  }

  /** Bytes lost so far because the host did not read them in time. */
  get lost(): number {
    return this.#lost;
  }

  /** Sends the first `count` of `bytes` to the host. Does not block: bytes that stay unread for long are lost, oldest first. */
  write(bytes: Uint8Array, count: number): void {
    if (!this.#isOpen) return;
    if (this.#unread + count > UNREAD_MAX_BYTES) this.#drain();
    this.#unread += count;
    writeSync(this.masterFd, bytes, 0, count);
  }

  /** Called when the host has written: it has read everything before that, or never will. */
  hostIsThere(): void {
    this.#unread = 0;
  }

  /** Ends a blocking read of `masterFd`, with one byte. */
  wakeReader(): void {
    if (!this.#isOpen) return;
    try {
      writeSync(this.#slaveFd, Uint8Array.of(0));
    } catch (error) {
      // The buffer is full, or the host writes at this moment: either wakes the reader too.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }

  /** No thread may be reading `masterFd` any more. A host that has the port open finds it gone. Idempotent. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#slaveFd);
    closeSync(this.masterFd);
  }

  #drain(): void {
    this.#unread = 0;
    try {
      for (;;) {
        const got = readSync(this.#slaveFd, this.#waste, 0, this.#waste.length, null);
        if (got === 0) return;
        this.#lost += got;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

/** Stable name of the port: a symbolic link, as in `/dev/serial/by-id`. */
export class PortLink {
  readonly path: string;
  #target: string | undefined;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** Points the link at `target`, replacing an existing link. Throws `ReinError('config')` if anything else is there. */
  pointTo(target: string): void {
    makeFolder(dirname(this.path));
    const there = lstatSync(this.path, { throwIfNoEntry: false });
    if (there !== undefined && !there.isSymbolicLink()) {
      throw new ReinError('config', `${this.path} exists and is no symbolic link.`, { remedy: 'Give another --link.' });
    }
    rmSync(this.path, { force: true });
    symlinkSync(target, this.path);
    this.#target = target;
  }

  /** Removes the link, unless it points elsewhere by now. Idempotent. */
  remove(): void {
    if (this.#target === undefined) return;
    const there = lstatSync(this.path, { throwIfNoEntry: false });
    if (there?.isSymbolicLink() === true && readlinkSync(this.path) === this.#target) rmSync(this.path);
    this.#target = undefined;
  }
}

function openMaster(): number {
  try {
    return openSync('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY);
  } catch (cause) {
    throw new ReinError('environment', `No pseudo-terminal can be opened (/dev/ptmx): ${messageOf(cause)}.`, {
      remedy: 'An emulated serial port needs Linux with /dev/pts mounted.',
      cause,
    });
  }
}

function unlock(masterFd: number): void {
  const reasons: string[] = [];
  for (const [program, ...args] of UNLOCKERS) {
    const { status, error, stderr } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'pipe', masterFd] });
    if (status === 0) return;
    reasons.push(`${program}: ${error === undefined ? stderr.toString().trim() : messageOf(error)}`);
  }
  throw new ReinError('environment', `A pseudo-terminal cannot be unlocked (${reasons.join('; ')}).`, {
    remedy: 'Install perl or python3: apt install perl-base',
  });
}

function slavePath(masterFd: number): string {
  const index = /^tty-index:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${masterFd}`, 'utf8'))?.[1];
  if (index === undefined) {
    throw new ReinError('environment', 'The kernel does not report the number of a pseudo-terminal.', {
      remedy: 'It does from Linux 4.12 on.',
    });
  }
  return `/dev/pts/${index}`;
}

/** Disables echo and line editing from the first byte on; `min 0 time 0` as in the serial driver. */
function makeRaw(path: string): void {
  const { status, error, stderr } = spawnSync('stty', ['-F', path, 'raw', '-echo', 'min', '0', 'time', '0', '1000000']);
  if (status === 0) return;
  throw new ReinError('environment', `${path} cannot be made raw: ${error?.message ?? stderr.toString().trim()}.`, {
    remedy: 'Install stty: apt install coreutils',
  });
}
