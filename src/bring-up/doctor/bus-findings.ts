/** Findings on a bus: speed, servos, their own reports, and the requirements of the robot's file. Reads only. */
import { existsSync } from 'node:fs';
import {
  brokenRules,
  errorCure,
  type ServoFamily,
  type ServoModel,
  type SupplyRead,
  supplyCure,
  TORQUE_LEFT_REMEDY,
  turnsProblem,
} from '../../drivers/serial.ts';
import { counted, ReinError, withoutFullStop } from '../../model/index.ts';
import { type BusPort, busOn, type OpenBusPort, withPort } from '../bus-port.ts';
import { begunCalibration, checkCalibration, turnsRemedy } from '../calibrate/check-calibration.ts';
import { BUS_FAMILIES, type BusFamily, type ServoArm } from '../families.ts';
import { ECHO_NOTE, type Finding } from '../finding.ts';
import { ServoAccess } from '../servo-access.ts';
import { GARBLED_REMEDY, isKnownFirmware, servoProblems } from '../servo-problems.ts';
import { type FoundServo, isTwice, type ScanResult, scanBauds } from '../servo-scan.ts';

export interface BusRequest {
  /** Absent: any servos, of any family. */
  readonly arm?: ServoArm | undefined;
  /** Path of the port; absent: that of the robot's file, else the only one. */
  readonly port?: string | undefined;
  readonly open: OpenBusPort;
  /** Prints a line before lengthy work. */
  readonly say?: ((line: string) => void) | undefined;
}

export interface BusInspection {
  readonly findings: readonly Finding[];
  /** Next command or action. */
  readonly next: string;
}

/** Never rejects for problems that the user can solve. */
export async function inspectBus(request: BusRequest): Promise<BusInspection> {
  const { arm, open, say } = request;
  const port = request.port ?? arm?.driver.port;
  let scan: ScanResult | undefined;
  try {
    scan = await scanBauds(open, port, arm === undefined ? BUS_FAMILIES : [arm.bus], {
      wanted: arm?.servos.map(({ id }) => id) ?? [],
      ...(arm === undefined ? {} : { first: arm.driver.baud }),
      say,
    });
  } catch (error) {
    if (!(error instanceof ReinError)) throw error;
    return inspection([{ name: 'bus', status: 'fail', detail: error.message, remedy: error.remedy }], request);
  }
  if (scan === undefined) return inspection([silence(arm?.bus)], request);
  const { bus, baud, servos } = scan;
  const hasEcho = servos.some((servo) => servo.hasEcho);
  const findings = await withPort(open, { path: port, baud }, async (opened) => {
    const where = {
      name: 'bus',
      detail: `${counted(servos.length, `${bus.family.name} servo`)} at ${baud} bit/s on ${opened.line.path}${hasEcho ? ECHO_NOTE : ''}`,
    };
    const rows = servos.flatMap((servo) => [
      servoFinding(opened, bus, servo, arm),
      ...settingFindings(opened, bus, servo, arm),
    ]);
    if (arm === undefined) return [{ ...where, status: 'ok' as const }, ...rows];
    const speed = speedFinding(where, scan, arm);
    const problems = servoProblems(arm, servos).map(
      ({ id, kind, message, remedy }): Finding => ({
        name: `servo ${id}`,
        status: kind === 'firmware' ? 'warn' : 'fail',
        detail: withoutFullStop(message),
        remedy,
      }),
    );
    const isWhole = baud === arm.driver.baud && problems.every(({ status }) => status === 'warn');
    const calibration = isWhole ? calibrationFindings(arm, opened, servos) : [];
    return [speed, ...rows, ...problems, ...calibration];
  });
  return inspection(findings, request);
}

/** Compares the speed of the bus with that of the robot's file. */
function speedFinding(where: Pick<Finding, 'name' | 'detail'>, { baud, servos }: ScanResult, arm: ServoArm): Finding {
  if (!servos.some(({ identity }) => identity !== undefined))
    return { ...where, status: 'fail', remedy: GARBLED_REMEDY };
  if (baud === arm.driver.baud) return { ...where, status: 'ok' };
  return {
    ...where,
    status: 'fail',
    detail: `${where.detail}; the robot's file says ${arm.driver.baud}`,
    remedy: `Write baud: ${baud} under driver in the robot's file.`,
  };
}

function silence(bus: BusFamily | undefined): Finding {
  const families = bus === undefined ? BUS_FAMILIES : [bus];
  const bauds = families.flatMap((each) => each.bauds);
  return {
    name: 'bus',
    status: 'fail',
    detail: `no servo answers, at any of ${bauds.length} speeds of ${families.map(({ family }) => family.name).join(', ')}`,
    remedy:
      'Look whether the servos have power (their own supply, not the USB cable) and whether the first cable sits.',
  };
}

/** `sts3215, firmware 3.10, 7.4 V, 31 °C, torque off, at 2093`, and any problem among these. */
function servoFinding(port: BusPort, { family }: BusFamily, servo: FoundServo, arm: ServoArm | undefined): Finding {
  const { id, identity, model, protocol } = servo;
  const motor = arm?.servos.find((each) => each.id === id);
  const name = `servo ${id}`;
  if (isTwice(servo) && motor === undefined) {
    const detail = `more than one servo has this id: their answers collide (${servo.collisions} of 8)`;
    return { name, status: 'fail', detail, remedy: 'Unplug all but one of them, and give that one an id of its own.' };
  }
  if (identity === undefined) return { name, status: 'warn', detail: 'answers, garbled' };
  if (model === undefined) {
    const detail = `model ${identity.modelNumber}, firmware ${identity.firmware}: unknown to ${family.name}`;
    return { name, status: 'warn', detail, remedy: `Known: ${Object.keys(family.models).join(', ')}.` };
  }
  const bus = busOn(port, protocol);
  const access = new ServoAccess(bus, id, model);
  const [volts, celsius] = [access.scaled('presentVoltage'), access.scaled('presentTemperature')];
  const [torque, position] = [access.read('torqueEnable'), access.read('presentPosition')];
  const errors = family.errorNames(bus.errorOf(id), access.read('hardwareError') ?? 0);
  const detail = [
    `${motor === undefined ? '' : `${motor.name}: `}${model.name}, firmware ${identity.firmware}`,
    measured(volts, 1, 'V'),
    measured(celsius, 0, '°C'),
    `torque ${torque === 0 ? 'off' : torque === undefined ? 'unknown' : 'on'}`,
    `at ${position ?? '?'}`,
  ].join(', ');
  const trouble = troubleOf(access, arm, errors, { volts, celsius, twin: twinNote(arm, family, model, volts) });
  if (trouble !== undefined) {
    return { name, status: 'fail', detail: `${detail}; ${trouble.what}`, remedy: trouble.remedy };
  }
  if (motor === undefined) return strangerFinding(family, servo, arm, { name, detail });
  const turns = position === undefined ? undefined : turnsProblem(family, model, position);
  if (turns !== undefined) {
    const calibrate = `rein calibrate --robot ${arm!.named}`;
    return { name, status: 'fail', detail: `${detail}; it ${turns}`, remedy: turnsRemedy(calibrate) };
  }
  if (torque !== undefined && torque !== 0 && existsSync(arm!.calibration)) {
    const why = 'a program that is gone left it, and none takes it over';
    return { name, status: 'fail', detail: `${detail}; ${why}`, remedy: TORQUE_LEFT_REMEDY };
  }
  return { name, status: 'ok', detail };
}

/** Problem that the servo reports or measures of itself. `twin`: note of `twinNote` on its voltage. */
function troubleOf(
  access: ServoAccess,
  arm: ServoArm | undefined,
  errors: readonly string[],
  { volts, celsius, twin }: { volts: number | undefined; celsius: number | undefined; twin: string },
): { readonly what: string; readonly remedy: string } | undefined {
  if (errors.length > 0) {
    const remedy = `${errorCure(errors, supplyRead(access))}${errors.includes('voltage') ? twin : ''}`;
    return { what: `it reports ${errors.join(', ')}`, remedy };
  }
  const supply = supplyProblem(arm, volts);
  if (supply !== undefined) {
    const what = `its supply is outside ${supply.leastV} to ${supply.mostV} V`;
    return { what, remedy: `${supplyCure(supply)}${twin}` };
  }
  if (arm === undefined || celsius === undefined || celsius <= arm.driver.temperatureMaxC) return undefined;
  return { what: 'too hot', remedy: `Let it cool below ${arm.driver.temperatureMaxC} °C.` };
}

function measured(value: number | undefined, digits: number, unit: string): string {
  return value === undefined ? `no ${unit}` : `${value.toFixed(digits)} ${unit}`;
}

/** For a servo without problems that is no joint of the robot's file. */
function strangerFinding(
  family: ServoFamily,
  { id, identity, model }: FoundServo,
  arm: ServoArm | undefined,
  { name, detail }: Pick<Finding, 'name' | 'detail'>,
): Finding {
  if (arm !== undefined && !arm.driver.signals.some((signal) => 'id' in signal && signal.id === id)) {
    return { name, status: 'warn', detail: `${detail}; the robot's file has no joint with this id` };
  }
  const firmware = identity!.firmware;
  const isTableKnown = isKnownFirmware(model!, firmware) && family.withFirmware(model!, firmware) !== undefined;
  return isTableKnown
    ? { name, status: 'ok', detail }
    : { name, status: 'warn', detail: `${detail}; this firmware is unknown` };
}

/** Stored settings that change the meaning of its readings, its goals or its protection. */
function settingFindings(
  port: BusPort,
  { family }: BusFamily,
  servo: FoundServo,
  arm: ServoArm | undefined,
): readonly Finding[] {
  const { id, identity, model, protocol } = servo;
  const motor = arm?.servos.find((each) => each.id === id);
  // A servo without a joint is an encoder, or does not belong to this arm.
  if (identity === undefined || model === undefined || isTwice(servo) || (arm !== undefined && motor === undefined))
    return [];
  const access = new ServoAccess(busOn(port, protocol), id, model);
  const broken = brokenRules({ model }, family.storedRules(motor ?? { model }), (register) => access.read(register));
  if (broken.length === 0) return [];
  const joint = motor === undefined ? '' : `${motor.name}: `;
  const only = motor === undefined || !existsSync(arm!.calibration) ? '' : ` --joint ${(motor.shadowOf ?? motor).name}`;
  const command =
    arm === undefined
      ? "name these servos in a robot's file, then: rein calibrate --robot FILE"
      : `rein calibrate --robot ${arm.named}${only}`;
  return [
    {
      name: `servo ${id}`,
      status: 'fail',
      detail: `${joint}${broken.map(({ what }) => what).join('; ')}`,
      remedy: `${command}, which offers to store ${broken.map(({ register, value }) => `${register} ${value}`).join(', ')}`,
    },
  ];
}

/** Returns a supply outside the limits of the robot's file; `undefined` if it is within them. */
function supplyProblem(arm: ServoArm | undefined, volts: number | undefined): SupplyRead | undefined {
  if (arm === undefined || volts === undefined) return undefined;
  const { voltageMinV: leastV, voltageMaxV: mostV } = arm.driver;
  return volts < leastV || volts > mostV ? { volts, leastV, mostV } : undefined;
}

/** Measured supply of the servo, and its stored limits. */
function supplyRead(servo: ServoAccess): SupplyRead {
  const [volts, leastV, mostV] = ['presentVoltage', 'voltageMin', 'voltageMax'].map(
    (name) => servo.scaled(name) ?? Number.NaN,
  ) as [number, number, number];
  return { volts, leastV, mostV };
}

/** Two models with one number differ in their supply alone: advice if the servos are of the other one. Empty without such a model. */
function twinNote(
  arm: ServoArm | undefined,
  { models }: ServoFamily,
  model: ServoModel,
  volts: number | undefined,
): string {
  const twin = Object.values(models).find((each) => each !== model && each.modelNumber === model.modelNumber);
  if (twin === undefined || arm === undefined || volts === undefined || volts <= arm.driver.voltageMaxV) return '';
  const torqueNm = twin.stallTorqueNm.toFixed(2);
  return ` If the servos are made for it: write model: ${twin.name}, its torqueMaxNm (${torqueNm} at a stall) and voltageMaxV into the robot's file.`;
}

function calibrationFindings(arm: ServoArm, port: BusPort, servos: readonly FoundServo[]): readonly Finding[] {
  if (existsSync(arm.calibration)) return checkCalibration(arm, arm.calibration, port, servos);
  const remedy = `rein calibrate --robot ${arm.named}`;
  const none: Finding = { name: 'calibration', status: 'warn', detail: `none yet at ${arm.calibration}`, remedy };
  return [none, ...begunCalibration(arm, arm.calibration)];
}

function inspection(findings: readonly Finding[], { arm, port }: BusRequest): BusInspection {
  const worst = findings.find(({ status }) => status === 'fail');
  if (worst !== undefined) return { findings, next: worst.remedy ?? worst.detail };
  if (arm === undefined) {
    const from = port === undefined ? '' : ` with driver.port: ${port}`;
    return { findings, next: `name these servos in a robot's file${from}, then: rein doctor --robot FILE` };
  }
  const isCalibrated = findings.some(({ name, status }) => name === 'calibration' && status === 'ok');
  return { findings, next: `rein ${isCalibrated ? 'bring-up' : 'calibrate'} --robot ${arm.named}` };
}
