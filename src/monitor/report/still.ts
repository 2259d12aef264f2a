/** One frame of a recording as a picture: for print, and for pages whose scripts do not run. */
import { crc32, deflateSync } from 'node:zlib';
import type { EncodedRecording } from '../../record/index.ts';
import { unitMeshes } from './geom-mesh.ts';
import { camera, createPicture, createScene, draw, FIELD_OF_VIEW, type Picture } from './renderer.mjs';

const WIDTH_PX = 720;
const HEIGHT_PX = 480;
const MESHES = unitMeshes(20);
/** Neither floor nor section is drawn. */
const THEME = { back: [255, 255, 255], floor: [], shadow: [], section: [] } as const;

/** A `data:` address of a PNG of the last frame, transparent around the shapes, as the page's player begins to look at it. */
export function stillOf(recording: EncodedRecording): string {
  const scene = createScene(recording, MESHES);
  const picture = createPicture(WIDTH_PX, HEIGHT_PX);
  const distance = (scene.radius / Math.sin(FIELD_OF_VIEW / 2)) * 0.94;
  const eye = camera(scene.centre, -0.95, 0.42, distance);
  draw(picture, scene, Math.max(0, recording.frameCount - 1), { camera: eye, theme: THEME, cutM: 0, floor: false });
  return `data:image/png;base64,${pngOf(picture).toString('base64')}`;
}

/** The picture as a PNG file (ISO/IEC 15948): 8 bits of red, green, blue and alpha; each byte less the one of the pixel before. */
function pngOf({ width, height, pixels }: Picture): Buffer {
  const rows = Buffer.alloc(height * (1 + 4 * width));
  for (let y = 0; y < height; y++) {
    const to = y * (1 + 4 * width);
    const from = y * 4 * width;
    rows[to] = 1;
    for (let i = 0; i < 4 * width; i++) rows[to + 1 + i] = pixels[from + i]! - (i < 4 ? 0 : pixels[from + i - 4]!);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(body, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
