/** Frames as another version of the protocol would seal them, and a learner that speaks it. */
import { Router } from 'zeromq';
import { encodeFrame, HEADER, HEADER_BYTES, WIRE_VERSION } from '../../src/link/wire.ts';
import { crc32c } from '../../src/rows/index.ts';
import { freeAddress } from './free-port.ts';

/** `frame`, changed in place: the version before this one, with the checksum that belongs to it. */
export function ofOlderVersion(frame: Uint8Array): Uint8Array {
  frame[HEADER.version] = WIRE_VERSION - 1;
  const checksum = crc32c(frame.subarray(HEADER_BYTES), crc32c(frame.subarray(0, HEADER.checksum)));
  new DataView(frame.buffer, frame.byteOffset).setUint32(HEADER.checksum, checksum, true);
  return frame;
}

/** A learner of the version before this one: refuses whatever it is asked. */
export async function startOlderLearner(): Promise<{ readonly address: string; close(): Promise<void> }> {
  const router = new Router({ linger: 0 });
  await router.bind(await freeAddress());
  const answering = (async () => {
    for await (const [identity] of router)
      await router.send([identity!, ofOlderVersion(encodeFrame({ kind: 'refuse' }))]);
  })().catch(() => undefined);
  return {
    address: router.lastEndpoint!,
    close: async () => {
      router.close();
      await answering;
    },
  };
}
