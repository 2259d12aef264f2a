/** The robot's place on the page: its picture, what its colours mean, and a switch for what the safety chain takes it for. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DrawnScene } from '../../drivers/mujoco.ts';
import { type Pose, RobotView } from './robot-view.ts';
import { readJson, run } from './stream.ts';

/** The robot's own shapes: asked for once; null where it has none. */
const shapes = signal<DrawnScene | null | undefined>(undefined);
const showsCapsules = signal(false);

async function askForShapes(): Promise<void> {
  if (shapes.peek() === undefined) shapes.value = (await readJson<DrawnScene>('/api/scene')) ?? null;
}

/** `frame`: what is shown, as often as the screen is drawn. */
export function Picture({ frame }: { readonly frame: ReadonlySignal<Pose | undefined> }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<RobotView | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const [count, setCount] = useState(0);
  const shown = run.value;
  useEffect(() => {
    void askForShapes();
    if (canvas.current === null || shown === undefined) return undefined;
    let made: RobotView;
    try {
      made = new RobotView(canvas.current, shown);
    } catch (error) {
      setProblem(`No picture: ${(error as Error).message}`);
      return undefined;
    }
    view.current = made;
    setCount(shapes.value == null ? 0 : made.take(shapes.value));
    made.showsCapsules = showsCapsules.value || shapes.value == null;
    let request = 0;
    const draw = (): void => {
      const pose = frame.peek();
      if (pose !== undefined) made.draw(pose);
      request = requestAnimationFrame(draw);
    };
    draw();
    return () => {
      cancelAnimationFrame(request);
      made.close();
      view.current = undefined;
    };
  }, [shown?.runId, shown?.objects.join(), shapes.value, frame]);
  useEffect(() => {
    if (view.current !== undefined) view.current.showsCapsules = showsCapsules.value || shapes.value == null;
  }, [showsCapsules.value]);
  return (
    <section class="scene" aria-label="Robot">
      {problem === '' ? (
        <canvas ref={canvas} data-shapes={count} aria-label="The robot in 3-D: drag to turn, wheel to zoom" />
      ) : (
        <p class="empty">{problem}</p>
      )}
      <p class="legend">
        <span class={count === 0 ? 'solid' : ''}>{count === 0 ? 'measured' : 'measured, in its own colours;'}</span>{' '}
        <span class="pale">reference</span>{' '}
        {count === 0 ? null : (
          <label>
            <input
              type="checkbox"
              id="capsules"
              checked={showsCapsules.value}
              onChange={(event) => {
                showsCapsules.value = event.currentTarget.checked;
                event.currentTarget.blur();
              }}
            />{' '}
            what the safety chain sees
          </label>
        )}
      </p>
    </section>
  );
}
