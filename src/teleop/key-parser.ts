/**
 * Parses a terminal's bytes into keys: printable ASCII, control codes, and the escape sequences of ECMA-48 and xterm.
 * Accepts any bytes in chunks of any size; other input is dropped.
 */

/** A key press, or a repetition: terminals do not distinguish the two, nor report a release. */
export interface Key {
  /** A lower-case letter, a printable character, or `up`, `down`, `left`, `right`, `pageUp`, `pageDown`, `enter`, `backspace`, `escape`, `interrupt`. */
  readonly name: string;
  readonly hasShift: boolean;
}

/** Silence after which an escape sequence is over, s: a lone Escape, or rubbish. */
const SEQUENCE_TIMEOUT_S = 0.05;
const PASTE_TIMEOUT_S = 1;
const SEQUENCE_MAX_BYTES = 64;
/** More distinct keys than this at once are text pasted by mistake: no hand is that fast. */
const HAND_MAX_KEYS = 4;

const ESC = 0x1b;
const BEL = 0x07;
const CTRL_C = 0x03;
/** Code of Enter in raw mode. */
const CARRIAGE_RETURN = 0x0d;
/** Code of the Backspace key (DEL). */
const BACKSPACE = 0x7f;

const FINAL_KEYS: Readonly<Record<string, string>> = { A: 'up', B: 'down', C: 'right', D: 'left' };
const TILDE_KEYS: Readonly<Record<string, string>> = { '5': 'pageUp', '6': 'pageDown' };

type State = 'ground' | 'escape' | 'csi' | 'ss3' | 'string';

/** Keeps unfinished sequences between chunks. */
export class KeyParser {
  #state: State = 'ground';
  #parameters = '';
  #length = 0;
  #isPasting = false;
  #lastByteAtS = Number.NEGATIVE_INFINITY;
  readonly #keys: Key[] = [];

  /**
   * Returns the keys in `bytes`, which arrived at `nowS`, each once however often it was repeated. Of pasted text only
   * `interrupt` and space survive: a paste must not move a robot, and may stop it.
   */
  feed(bytes: Uint8Array, nowS: number): readonly Key[] {
    this.#keys.length = 0;
    this.#expire(nowS);
    const wasPasting = this.#isPasting;
    for (const byte of bytes) this.#accept(byte);
    if (bytes.length > 0) this.#lastByteAtS = nowS;
    const distinct = distinctKeys(this.#keys);
    const isPaste = wasPasting || this.#isPasting || distinct.length > HAND_MAX_KEYS;
    return isPaste ? distinct.filter(stops) : distinct;
  }

  /** Returns the Escape key for an unfinished sequence that nothing has followed for a while. */
  idle(nowS: number): readonly Key[] {
    this.#keys.length = 0;
    this.#expire(nowS);
    return distinctKeys(this.#keys);
  }

  #expire(nowS: number): void {
    const silentS = nowS - this.#lastByteAtS;
    if (this.#isPasting && silentS > PASTE_TIMEOUT_S) this.#isPasting = false;
    if (this.#state === 'ground' || silentS <= SEQUENCE_TIMEOUT_S) return;
    if (this.#state === 'escape') this.#emit('escape', 'plain');
    this.#state = 'ground';
  }

  #accept(byte: number): void {
    if (byte === CTRL_C) {
      this.#state = 'ground';
      this.#emit('interrupt', 'plain');
      return;
    }
    if (this.#state !== 'ground' && ++this.#length > SEQUENCE_MAX_BYTES) this.#state = 'ground';
    if (byte === ESC) {
      this.#onEscape();
      return;
    }
    switch (this.#state) {
      case 'ground':
        this.#onGround(byte);
        return;
      case 'escape':
        this.#onAfterEscape(byte);
        return;
      case 'csi':
        this.#onCsi(byte);
        return;
      case 'ss3':
        this.#state = 'ground';
        this.#onSequence(String.fromCharCode(byte));
        return;
      case 'string':
        if (byte === BEL) this.#state = 'ground';
    }
  }

  #onEscape(): void {
    if (this.#state === 'escape') this.#emit('escape', 'plain');
    this.#state = 'escape';
    this.#parameters = '';
    this.#length = 0;
  }

  #onGround(byte: number): void {
    if (byte === CARRIAGE_RETURN) this.#emit('enter', 'plain');
    if (byte === BACKSPACE) this.#emit('backspace', 'plain');
    // Bytes from 0x80 are UTF-8, which contains no ASCII: dropping each of them drops whole characters.
    if (byte < 0x20 || byte > 0x7e) return;
    const character = String.fromCharCode(byte);
    const lower = character.toLowerCase();
    this.#emit(lower, lower === character ? 'plain' : 'shift');
  }

  #onAfterEscape(byte: number): void {
    if (byte === 0x5b) this.#state = 'csi';
    else if (byte === 0x4f) this.#state = 'ss3';
    // OSC, DCS, SOS, PM, APC: responses of the terminal, up to BEL or ESC \.
    else if (byte === 0x5d || byte === 0x50 || byte === 0x58 || byte === 0x5e || byte === 0x5f) this.#state = 'string';
    else this.#state = 'ground';
  }

  #onCsi(byte: number): void {
    if (byte >= 0x20 && byte <= 0x3f) {
      this.#parameters += String.fromCharCode(byte);
      return;
    }
    this.#state = 'ground';
    if (byte >= 0x40 && byte <= 0x7e) this.#onSequence(String.fromCharCode(byte));
  }

  #onSequence(final: string): void {
    const [first = '', modifier = '1'] = this.#parameters.split(';');
    if (final === '~' && first === '200') this.#isPasting = true;
    if (final === '~' && first === '201') this.#isPasting = false;
    const table = final === '~' ? TILDE_KEYS : FINAL_KEYS;
    const name = Object.hasOwn(table, final === '~' ? first : final) ? table[final === '~' ? first : final] : undefined;
    // xterm: modifier is 1 + a bit set in which 1 is Shift.
    if (name !== undefined) this.#emit(name, ((Number(modifier) - 1) & 1) === 1 ? 'shift' : 'plain');
  }

  #emit(name: string, modifier: 'plain' | 'shift'): void {
    this.#keys.push({ name, hasShift: modifier === 'shift' });
  }
}

function distinctKeys(keys: readonly Key[]): Key[] {
  return keys.filter((key, i) => keys.findIndex((k) => k.name === key.name && k.hasShift === key.hasShift) === i);
}

function stops(key: Key): boolean {
  return key.name === 'interrupt' || key.name === ' ';
}
