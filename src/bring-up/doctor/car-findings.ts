/** Findings at the port of a car: the VESC, its supply, its reports, and its own timeout. Nothing moves. */

import { countsPerM, faultCure, type VescConfig, type VescLink, vescValues } from '../../drivers/serial.ts';
import { ReinError, withoutFullStop } from '../../model/index.ts';
import type { BusPort, OpenBusPort } from '../bus-port.ts';
import { type VescCar, withVesc } from '../car.ts';
import { ECHO_NOTE, type Finding } from '../finding.ts';

const { VALUE, faultName } = vescValues;
/** Possible speeds of its UART, likeliest first (VESC Tool, App Settings, UART). */
const VESC_BAUDS = [115_200, 921_600, 230_400, 460_800, 57_600, 38_400, 19_200, 9600];

export interface CarRequest {
  /** Absent: any VESC. */
  readonly car?: VescCar | undefined;
  /** Path of the port; absent: that of the robot's file. */
  readonly port?: string | undefined;
  readonly open: OpenBusPort;
}

export interface CarInspection {
  readonly findings: readonly Finding[];
  /** Next command or action. */
  readonly next: string;
}

/** Never rejects for problems that the user can solve. */
export async function inspectCar(request: CarRequest): Promise<CarInspection> {
  const { car, open } = request;
  const path = request.port ?? car?.driver.port;
  const wanted = car?.driver.baud;
  const bauds = [...new Set([...(wanted === undefined ? [] : [wanted]), ...VESC_BAUDS])];
  let refusal: ReinError | undefined;
  for (const baud of bauds) {
    try {
      const findings = await withVesc(open, { path, baud }, async (link, port) => look(link, port, request));
      return { findings, next: nextOf(findings, car, path) };
    } catch (error) {
      if (!(error instanceof ReinError)) throw error;
      // Reports the error at the file's own speed, or of the port; at other speeds it is silence, too.
      refusal ??= error;
      if (!isSilent(error)) break;
    }
  }
  const { message, remedy } = refusal!;
  const others = isSilent(refusal!) && bauds.length > 1 ? `; nor at ${bauds.slice(1).join(', ')}` : '';
  const finding: Finding = { name: 'VESC', status: 'fail', detail: `${withoutFullStop(message)}${others}`, remedy };
  return { findings: [finding], next: remedy ?? message };
}

/** Looks for a VESC at an unknown port, at its usual speed; `undefined` if none answers. */
export async function findVesc({
  port: path,
  open,
}: Pick<CarRequest, 'port' | 'open'>): Promise<CarInspection | undefined> {
  try {
    const found = await withVesc(open, { path, baud: VESC_BAUDS[0]! }, async (link, port) => look(link, port, {}));
    return { findings: found, next: nextOf(found, undefined, path) };
  } catch (error) {
    if (error instanceof ReinError) return undefined;
    throw error;
  }
}

function isSilent({ message }: ReinError): boolean {
  return message.startsWith('No VESC answers');
}

/** Findings from all reports of a VESC. Throws `ReinError` if none answers. */
function look(link: VescLink, { line }: BusPort, { car }: Pick<CarRequest, 'car'>): readonly Finding[] {
  const { firmware, hardware, uuid } = link.identify();
  const who = `${hardware || 'unnamed board'}, firmware ${firmware}, ${uuid === '' ? 'no uuid' : `uuid ${uuid}`}`;
  const where = `${who}, at ${line.baud} bit/s on ${line.path}${link.hasEcho ? ECHO_NOTE : ''}`;
  const wanted = car?.driver.baud ?? line.baud;
  const identity: Finding =
    wanted === line.baud
      ? { name: 'VESC', status: 'ok', detail: where }
      : {
          name: 'VESC',
          status: 'fail',
          detail: `${where}; the robot's file says ${wanted}`,
          remedy: `Write baud: ${line.baud} under driver in the robot's file.`,
        };
  const timeout = timeoutFinding(link, firmware, car?.driver);
  const { values } = link;
  return [
    identity,
    faultFinding(values[VALUE.fault]!, values[VALUE.inputV]!),
    supplyFinding(values[VALUE.inputV]!, car?.driver.battery),
    heatFinding(values[VALUE.mosfetC]!, car?.driver),
    timeout,
    odometryFinding(values[VALUE.tachometer]!, car?.driver),
    {
      name: 'steering',
      status: 'ok',
      detail:
        'not measured: a servo at a VESC has no feedback; its centre and direction are checked by eye in rein bring-up',
    },
  ];
}

function faultFinding(code: number, inputV: number): Finding {
  if (code === 0) return { name: 'fault code', status: 'ok', detail: 'none' };
  const remedy = `${faultCure(code, inputV)} It goes by itself once the cause is gone.`;
  return { name: 'fault code', status: 'fail', detail: `${code} (${faultName(code)})`, remedy };
}

function supplyFinding(inputV: number, battery: VescConfig['battery']): Finding {
  const name = 'supply';
  if (battery === undefined) return { name, status: 'ok', detail: `${inputV.toFixed(1)} V` };
  const { cells, warnV, stopV } = battery;
  const cellV = inputV / cells;
  const detail = `${inputV.toFixed(1)} V, ${cellV.toFixed(2)} V a cell`;
  if (cellV > CELL_MAX_V) {
    const remedy = `Write the cells that the battery has under driver.battery.cells: the file says ${cells}.`;
    return { name, status: 'fail', detail: `${detail}: more than a cell of lithium polymer has`, remedy };
  }
  if (cellV < stopV)
    return { name, status: 'fail', detail: `${detail}, below ${stopV}`, remedy: 'Charge the battery.' };
  if (cellV < warnV)
    return { name, status: 'warn', detail: `${detail}, below ${warnV}`, remedy: 'Charge the battery.' };
  return { name, status: 'ok', detail };
}

/** A full cell has 4.2 V; this leaves room for measurement errors of the VESC. */
const CELL_MAX_V = 4.35;

function heatFinding(mosfetC: number, driver: VescConfig | undefined): Finding {
  const name = 'temperature';
  const detail = `${mosfetC.toFixed(0)} °C in the VESC`;
  if (driver === undefined || mosfetC <= driver.mosfetMaxC) return { name, status: 'ok', detail };
  return { name, status: 'fail', detail, remedy: `Let it cool below ${driver.mosfetMaxC} °C.` };
}

/** Commands the motor to coast, and then sends nothing for as long as its firmware may take to notice. */
function timeoutFinding(link: VescLink, firmware: string, driver: VescConfig | undefined): Finding {
  const name = 'timeout';
  const problem = link.timeoutProblem(firmware);
  if (problem === undefined) {
    return { name, status: 'ok', detail: 'the firmware stops the motor by itself within 200 ms (fault 46)' };
  }
  const status = driver?.firmwareTimeout === 'reported' ? 'warn' : 'fail';
  return { name, status, detail: withoutFullStop(problem.message), remedy: problem.remedy };
}

function odometryFinding(counts: number, driver: VescConfig | undefined): Finding {
  const name = 'odometry';
  if (driver === undefined) return { name, status: 'ok', detail: `the tachometer is at ${counts}` };
  const detail = `the tachometer is at ${counts}; ${countsPerM(driver.motor).toFixed(0)} counts are 1 m by the robot's file`;
  return { name, status: 'ok', detail };
}

function nextOf(findings: readonly Finding[], car: VescCar | undefined, port: string | undefined): string {
  const worst = findings.find(({ status }) => status === 'fail');
  if (worst !== undefined) return worst.remedy ?? worst.detail;
  if (car !== undefined) return `rein bring-up --robot ${car.named}`;
  const from = port === undefined ? '' : ` and driver.port: ${port}`;
  return `name this VESC in a robot's file, as config/robots/race-car-vesc.yaml does, with driver.kind: vesc${from}; then: rein doctor --robot FILE`;
}
