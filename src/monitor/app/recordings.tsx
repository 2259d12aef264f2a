/** Recorded episodes of a page saved as a file: each is played in the place of its embedded data. */
import { type Signal, useSignal } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { EncodedRecording } from '../../record/index.ts';
import { PlayBar } from './play-bar.tsx';
import { RecordedScene } from './recorded-scene.ts';
import { type CloseUp, RecordingView } from './recording-view.ts';
import { theme } from './theme.ts';

function Recording({ recording, id }: { readonly recording: EncodedRecording; readonly id: string }) {
  const { caption, frameS } = recording;
  const last = Math.max(0, recording.frameCount - 1);
  const at = useSignal(0);
  const isPlaying = useSignal(last > 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches);
  const pace = useSignal(1);
  const canvas = useRef<HTMLCanvasElement>(null);
  const scene = useMemo(() => new RecordedScene(recording), [recording]);
  const frame = Math.min(last, Math.round(at.value));
  const { view, closeUp, still, problem } = useView(canvas, scene, frame);
  usePlaying({ canvas, at, isPlaying, pace, last, frameS });
  if (problem !== '') {
    return (
      <p class="empty" title={problem}>
        This browser draws no 3-D (WebGL). All else of the page works.
      </p>
    );
  }
  return (
    <>
      <div class="stage">
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${caption}: animation of the arm, drag to look around`}
          onDblClick={() => view.current?.home()}
        />
        {closeUp === undefined ? null : <Section {...closeUp} />}
        {still === '' ? null : <img class="still" alt={`${caption}: last frame`} src={still} />}
      </div>
      <PlayBar
        {...{ id, last, at, isPlaying, pace }}
        label="Frame"
        text={`${(frame * frameS).toFixed(1)} of ${(last * frameS).toFixed(1)} s`}
      />
    </>
  );
}

/** Redraws `frame` when it, the canvas size, the theme or the view direction changes. */
function useView(canvas: { readonly current: HTMLCanvasElement | null }, scene: RecordedScene, frame: number) {
  const view = useRef<RecordingView | undefined>(undefined);
  const shown = useRef(frame);
  shown.current = frame;
  const [closeUp, setCloseUp] = useState<CloseUp | undefined>(undefined);
  const [still, setStill] = useState('');
  const [problem, setProblem] = useState('');
  useLayoutEffect(() => {
    const root = canvas.current;
    if (root === null) return undefined;
    const draw = (): void => setCloseUp(view.current?.draw(shown.current));
    try {
      view.current = new RecordingView(root, scene, draw);
    } catch (error) {
      setProblem((error as Error).message);
      return undefined;
    }
    const { current: made } = view;
    made.resize(root.clientWidth, root.clientHeight);
    setStill(made.still());
    const observer = new ResizeObserver(() => {
      made.resize(root.clientWidth, root.clientHeight);
      draw();
    });
    observer.observe(root);
    return () => {
      observer.disconnect();
      made.close();
    };
  }, [scene, theme.value]);
  useLayoutEffect(() => setCloseUp(view.current?.draw(frame)), [scene, frame, theme.value]);
  return { view, closeUp, still, problem };
}

interface Playing {
  readonly canvas: { readonly current: HTMLCanvasElement | null };
  readonly at: Signal<number>;
  readonly isPlaying: Signal<boolean>;
  readonly pace: Signal<number>;
  readonly last: number;
  readonly frameS: number;
}

/** Advances the frames while playing and visible; restarts a second after the last. */
function usePlaying({ canvas, at, isPlaying, pace, last, frameS }: Playing): void {
  const isVisible = useSignal(true);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      isVisible.value = entry?.isIntersecting === true;
    });
    if (canvas.current !== null) observer.observe(canvas.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!isPlaying.value || !isVisible.value) return undefined;
    let drawnMs = performance.now();
    let request = requestAnimationFrame(function turn(nowMs) {
      const passedS = Math.min(0.1, Math.max(0, nowMs - drawnMs) / 1e3);
      drawnMs = nowMs;
      const next = at.peek() + (passedS * pace.peek()) / frameS;
      at.value = next > last + 1 / frameS ? 0 : next;
      request = requestAnimationFrame(turn);
    });
    return () => cancelAnimationFrame(request);
  }, [isPlaying.value, isVisible.value]);
}

/** Overlay of the close-up: path of the peg's tip, and the success depth. */
function Section({ trace, line }: CloseUp) {
  const [from, to] = line ?? [];
  return (
    <svg
      class="closeup"
      viewBox="0 0 1 1"
      role="img"
      aria-label="Section through the hole with the way of the peg's tip"
    >
      <polyline points={trace.map((point) => point.join()).join(' ')} />
      {from === undefined || to === undefined ? null : (
        <>
          <line x1={from[0]} y1={from[1]} x2={to[0]} y2={to[1]} />
          <text x={0.97} y={Math.max(from[1], to[1]) - 0.02}>
            success
          </text>
        </>
      )}
    </svg>
  );
}

for (const [i, place] of document.querySelectorAll('.recording').entries()) {
  const recording = JSON.parse(place.querySelector('script')?.textContent ?? '') as EncodedRecording;
  place.replaceChildren();
  render(<Recording recording={recording} id={`frame-${i}`} />, place);
}
