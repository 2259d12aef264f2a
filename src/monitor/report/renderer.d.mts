/** What the page of a run uses of the renderer on this side: a picture of one frame. */
import type { EncodedRecording } from '../../record/index.ts';
import type { UnitMesh } from './geom-mesh.ts';

export interface Scene {
  readonly centre: readonly number[];
  readonly radius: number;
  /** [frame] where the peg's tip is, m; empty without a peg. */
  readonly tips: readonly (readonly number[])[];
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** RGBA, row by row; 0 where nothing was drawn. */
  readonly pixels: Uint8ClampedArray;
  readonly words: Uint32Array;
}

export interface View {
  readonly camera: object;
  readonly theme: Readonly<Record<'back' | 'shadow' | 'section', readonly number[]>> & {
    readonly floor: readonly (readonly number[])[];
  };
  readonly cutM: number;
  readonly cuts?: (part: object) => boolean;
  readonly floor: boolean;
}

export declare const FIELD_OF_VIEW: number;
export declare function createScene(recording: EncodedRecording, meshes: Readonly<Record<string, UnitMesh>>): Scene;
export declare function camera(target: readonly number[], azimuth: number, elevation: number, distance: number): object;
export declare function createPicture(width: number, height: number, shift?: number): Picture;
export declare function draw(picture: Picture, scene: Scene, frame: number, view: View): void;
