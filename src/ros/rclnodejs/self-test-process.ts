/** One message from a node to itself through the real ROS 2, as a process of its own: what `npm run ros:install` ends with. */
import { ReinError } from '../../model/index.ts';
import { StringMessage } from '../messages/definitions.ts';
import { EVENT_QOS } from '../port/qos.ts';
import { openRosPort } from './rclnodejs-port.ts';

const LIMIT_MS = 15_000;
const SENT = 'ros:install was here';

const timer = setTimeout(() => end(1, `no message came back within ${LIMIT_MS / 1000} s`), LIMIT_MS);
try {
  const port = await openRosPort({
    nodeName: `rein_self_test_${process.pid}`,
    onFault: ({ message }) => end(1, message),
  });
  let sentAtMs = 0;
  const publisher = port.advertise(StringMessage, '~/text', EVENT_QOS);
  port.subscribe(StringMessage, '~/text', EVENT_QOS, ({ data }) => {
    if (data !== SENT) return end(1, 'another message came back than was sent');
    const tookMs = (performance.now() - sentAtMs).toFixed(1);
    clearTimeout(timer);
    void port.close().then(() => end(0, `a message went from a node to itself in ${tookMs} ms`));
  });
  port.start();
  while (publisher.subscriberCount === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  sentAtMs = performance.now();
  publisher.publish({ data: SENT });
} catch (error) {
  end(1, error instanceof ReinError && error.remedy ? `${error.message}; ${error.remedy}` : String(error));
}

function end(code: number, message: string): void {
  process.stdout.write(`${message}\n`);
  process.exit(code);
}
