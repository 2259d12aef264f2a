/** A certificate of its own making for `localhost`, for a minute of tests: X.509 (RFC 5280) in DER, which Node reads and does not write. */
import { generateKeyPairSync, sign } from 'node:crypto';

const [INTEGER, BIT_STRING, OBJECT, UTF8, TIME, SEQUENCE, SET] = [0x02, 0x03, 0x06, 0x0c, 0x18, 0x30, 0x31] as const;
/** Of commonName, and of ECDSA with SHA-256. */
const COMMON_NAME = Buffer.from('550403', 'hex');
const ECDSA_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');

/** PEM texts. */
export function selfSigned(): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, der(OBJECT, ECDSA_SHA256));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, der(OBJECT, COMMON_NAME), der(UTF8, Buffer.from('localhost')))));
  const times = ['20200101000000Z', '21200101000000Z'].map((time) => der(TIME, Buffer.from(time)));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const content = der(SEQUENCE, der(INTEGER, Buffer.of(1)), algorithm, name, der(SEQUENCE, ...times), name, spki);
  const signature = der(BIT_STRING, Buffer.of(0), sign('sha256', content, privateKey));
  const cert = der(SEQUENCE, content, algorithm, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${cert}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/** An element of less than 64 KiB. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}
