/** A link that hands frames on as a bad line does: some not at all, some twice. */

import type { GuardLink } from '../../src/guard/index.ts';
import type { FrameListener } from '../../src/guard/link/link.ts';
import type { GuardFrame } from '../../src/rows/index.ts';

/** `link`, where `deliver` hands each frame on as often as it likes. */
export function unsteadyLink(link: GuardLink, deliver: (frame: GuardFrame, hand: FrameListener) => void): GuardLink {
  return {
    shape: link.shape,
    get latest() {
      return link.latest;
    },
    get lostReason() {
      return link.lostReason;
    },
    send: (command) => link.send(command),
    request: (request, by) => link.request(request, by),
    advance: (ticks) => link.advance(ticks),
    onFrame: (listener) => link.onFrame((frame) => deliver(frame, listener)),
    onNotice: (listener) => link.onNotice(listener),
    onLost: (listener) => link.onLost(listener),
    close: () => link.close(),
  };
}
