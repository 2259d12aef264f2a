/** Places of elements in the robot's file, and what only the text of a URDF shows: speeds, mimic joints, links without mass. */
import { ReinError } from '../../model/index.ts';
import type { ModelFile } from '../model/model-file.ts';
import { elementsNamed, type XmlElement, xmlElements } from '../model/xml-elements.ts';
import type { FilePlace, ImportedJoint, RangeProblem, UnusableLimit } from './imported-robot.ts';
import { standStillRemedy } from './refusals.ts';

type UrdfFacts = Pick<ImportedJoint, 'velocityMaxRadPerS' | 'rangeProblem' | 'soft' | 'unusable'>;

export class PlaceFinder {
  readonly file: ModelFile;
  readonly #elements: readonly XmlElement[];
  readonly #isUrdf: boolean;

  constructor(file: ModelFile) {
    this.file = file;
    this.#elements = xmlElements(file.xml);
    this.#isUrdf = this.#elements.some(({ name }) => name === 'robot');
  }

  /** Returns the element's place; line 0 if the main file does not have it. */
  readonly of = (element: string, name: string): FilePlace => {
    const all = this.#kindsOf(element).flatMap((kind) => elementsNamed(this.#elements, kind));
    const found = all.find((each) => each.attributes.get('name') === name) ?? (name === '' ? all[0] : undefined);
    return { file: this.file.name, line: found?.line ?? 0, column: found?.column ?? 0 };
  };

  /** Returns what only a URDF gives for a joint; nothing for MJCF. */
  urdfFacts(name: string): UrdfFacts {
    const joint = this.#urdfJoint(name);
    if (joint === undefined) return { unusable: [] };
    const limit = childOf(joint, 'limit');
    const speed = Number(limit?.attributes.get('velocity'));
    return {
      velocityMaxRadPerS: speed > 0 && Number.isFinite(speed) ? speed : undefined,
      rangeProblem: this.#rangeProblem(joint, limit),
      soft: this.#softRange(childOf(joint, 'safety_controller')),
      unusable: limit === undefined ? [] : this.#unusable(limit),
    };
  }

  /** Returns the range that the joint's controller keeps. */
  #softRange(controller: XmlElement | undefined): UrdfFacts['soft'] {
    if (controller === undefined) return undefined;
    const side = (name: string, absent: number): number => {
      const value = controller.attributes.get(name);
      return value === undefined || !Number.isFinite(Number(value)) ? absent : Number(value);
    };
    const range = [side('soft_lower_limit', -Infinity), side('soft_upper_limit', Infinity)] as const;
    // Exporters write 0 for both if none were entered.
    return range[0] < range[1] ? { range, place: this.#placeOf(controller) } : undefined;
  }

  /** Returns limits that are 0 or less, as exporters write them if none were entered. */
  #unusable(limit: XmlElement): UnusableLimit[] {
    return (['effort', 'velocity'] as const).flatMap((name) => {
      const text = limit.attributes.get(name);
      if (text === undefined || Number(text) > 0) return [];
      const key = name === 'effort' ? 'torqueMaxNm' : 'velocityMaxRadPerS';
      return [{ key, text: `${name}="${text}"`, place: this.#placeOf(limit) } as const];
    });
  }

  /** Returns why a joint that must have stops at both ends has no range, and the place. */
  #rangeProblem(joint: XmlElement, limit: XmlElement | undefined): RangeProblem | undefined {
    const type = joint.attributes.get('type');
    if (type !== 'revolute' && type !== 'prismatic') return undefined;
    const end = (side: string): number => Number(limit?.attributes.get(side) ?? 0);
    const [lower, upper] = [end('lower'), end('upper')];
    if (limit !== undefined && lower < upper) return undefined;
    const what =
      limit === undefined ? 'no <limit>' : `a <limit> with lower ${lower} and upper ${upper} (0 where it says none)`;
    return { place: this.#placeOf(limit ?? joint), why: `is ${type} and has ${what}` };
  }

  /** Elements of a URDF that limit or move a joint and are not read. */
  get urdfNotRead(): readonly string[] {
    if (!this.#isUrdf) return [];
    const calibrations = elementsNamed(this.#elements, 'joint').flatMap((joint) => {
      const found = childOf(joint, 'calibration');
      return found === undefined
        ? []
        : [`<calibration> of joint "${joint.attributes.get('name')}" (${this.#lineOf(found)})`];
    });
    const gears = elementsNamed(this.#elements, 'mechanicalReduction');
    if (gears.length === 0) return calibrations;
    const lines = gears.map((gear, i) => (i === 0 ? this.#lineOf(gear) : gear.line)).join(', ');
    return [...calibrations, `<mechanicalReduction> (${lines})`];
  }

  #placeOf({ line, column }: XmlElement): FilePlace {
    return { file: this.file.name, line, column };
  }

  #lineOf({ line }: XmlElement): string {
    return `${this.file.name}:${line}`;
  }

  /**
   * Refuses what MuJoCo silently accepts in a URDF: joints of other kinds; mimic joints, which it leaves free; moving
   * links without `<inertial>`, whose mass it derives from their shapes; and two joints of one name, which it reports
   * without a line. Joints selected by `stays` stand still.
   */
  refuseUrdf(stays: (joint: string) => boolean): void {
    if (!this.#isUrdf) return;
    const joints = elementsNamed(this.#elements, 'joint').filter((joint) => childOf(joint, 'child') !== undefined);
    this.#refuseRepeated(joints);
    this.#refuseSecondRoot(joints);
    const isMoving = (joint: XmlElement): boolean =>
      joint.attributes.get('type') !== 'fixed' && !stays(joint.attributes.get('name') ?? '');
    this.#refuseKinds(joints.filter(isMoving));
    this.#refuseFollowers(joints.filter(isMoving));
    const links = new Map(
      elementsNamed(this.#elements, 'link').map((link) => [link.attributes.get('name') ?? '', link]),
    );
    for (const joint of joints.filter(isMoving)) {
      const link = links.get(linkOf(joint, 'child'));
      if (link !== undefined && !this.#hasMass(link, links, joints, isMoving)) {
        const name = joint.attributes.get('name');
        this.#refuse(
          link,
          `link "${link.attributes.get('name')}" is moved by joint "${name}" and has no <inertial> with a mass`,
        );
      }
    }
  }

  /** MuJoCo makes three joints of a planar one, with names that are in no file. */
  #refuseKinds(moving: readonly XmlElement[]): void {
    const other = moving.find((joint) => ['planar', 'floating'].includes(joint.attributes.get('type') ?? ''));
    if (other === undefined) return;
    const name = other.attributes.get('name') ?? '';
    this.#refuse(
      other,
      `joint "${name}" is ${other.attributes.get('type')}; the safety chain handles trees of turning and sliding joints only`,
      {
        remedy: `take it out of the file, or write type="fixed": its link then stands still`,
      },
    );
  }

  /** Reports all at once, not one finger per attempt. */
  #refuseFollowers(moving: readonly XmlElement[]): void {
    const followers = moving.flatMap((joint) => {
      const mimic = childOf(joint, 'mimic');
      const name = joint.attributes.get('name') ?? '';
      return mimic === undefined ? [] : [{ name, mimic, leader: mimic.attributes.get('joint') }];
    });
    const [first] = followers;
    if (first === undefined) return;
    const whys = followers.map(({ name, leader }) => `joint "${name}" follows joint "${leader}"`).join('; ');
    this.#refuse(first.mimic, whys, { remedy: standStillRemedy(followers.map(({ name }) => name)) });
  }

  /** Joints of a URDF that mimic joints follow. */
  get urdfFollowed(): readonly string[] {
    if (!this.#isUrdf) return [];
    return elementsNamed(this.#elements, 'mimic').flatMap((mimic) => mimic.attributes.get('joint') ?? []);
  }

  #refuseRepeated(joints: readonly XmlElement[]): void {
    const first = new Map<string, XmlElement>();
    for (const joint of joints) {
      const name = joint.attributes.get('name') ?? '';
      const before = first.get(name);
      if (before !== undefined) this.#refuse(joint, `joint "${name}" stands in line ${before.line} already`);
      first.set(name, joint);
    }
  }

  /** MuJoCo drops all roots but one, with everything attached to them. */
  #refuseSecondRoot(joints: readonly XmlElement[]): void {
    const carried = new Set(joints.map((joint) => linkOf(joint, 'child')));
    const all = this.#elements.find(({ name }) => name === 'robot')?.children ?? [];
    const roots = all.filter(
      (link) => link.name === 'link' && link.attributes.has('name') && !carried.has(link.attributes.get('name') ?? ''),
    );
    const [first, second] = roots;
    if (first === undefined || second === undefined) return;
    const names = roots.map((link) => `"${link.attributes.get('name')}"`);
    this.#refuse(
      second,
      `link ${names[1]} hangs on no joint, and neither does link ${names[0]} in line ${first.line}: a robot has one root`,
      {
        remedy: `join ${names.slice(1).join(' and ')} to ${names[0]} or another link, such as by a joint of type="fixed", or take it out`,
      },
    );
  }

  /** Returns true if the link, or one that is fixed to it, has a mass. */
  #hasMass(
    link: XmlElement,
    links: ReadonlyMap<string, XmlElement>,
    joints: readonly XmlElement[],
    isMoving: (joint: XmlElement) => boolean,
  ): boolean {
    const mass = elementsNamed(link.children, 'mass')[0]?.attributes.get('value');
    if (Number(mass) > 0) return true;
    return joints.some((joint) => {
      const isRigid = !isMoving(joint) && linkOf(joint, 'parent') === link.attributes.get('name');
      const next = isRigid ? links.get(linkOf(joint, 'child')) : undefined;
      return next !== undefined && this.#hasMass(next, links, joints, isMoving);
    });
  }

  #urdfJoint(name: string): XmlElement | undefined {
    if (!this.#isUrdf) return undefined;
    // Transmissions and controllers also have joint elements, without links.
    return elementsNamed(this.#elements, 'joint').find(
      (joint) => joint.attributes.get('name') === name && childOf(joint, 'child') !== undefined,
    );
  }

  /** Returns the elements of a kind: MJCF has several for joints and constraints. */
  #kindsOf(element: string): readonly string[] {
    if (element === 'joint') return ['joint', 'freejoint'];
    if (element === 'equality') return ['connect', 'weld'];
    return [element];
  }

  #refuse({ line, column }: XmlElement, why: string, details: { readonly remedy?: string } = {}): never {
    throw new ReinError('config', `${this.file.name}:${line}:${column}: ${why}`, details);
  }
}

function childOf(element: XmlElement | undefined, wanted: string): XmlElement | undefined {
  return element?.children.find(({ name }) => name === wanted);
}

function linkOf(joint: XmlElement, end: 'parent' | 'child'): string {
  return childOf(joint, end)?.attributes.get('link') ?? '';
}
