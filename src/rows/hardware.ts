/** Hardware status in a driver's report: faults as bits, and counters of its bus. */

/** Faults reported by the hardware itself, as bits of `DriverReport.hardwareFaults`; 0: healthy. Rows: see the fault table. */
export const HARDWARE = {
  /** Row 13: a servo reports overload, heat, voltage or an internal error, or has latched one and still answers. */
  servoFault: 1 << 0,
  /** Row 13: a servo has restarted by itself: its torque is off and its limits are the factory defaults. */
  servoReset: 1 << 1,
  /** Row 37: current or load near its cap while the joint does not follow, for too long. */
  stalled: 1 << 2,
  /** Row 37: a torque cap reads back different from the value written. */
  torqueCap: 1 << 3,
  /** Row 45: the three battery levels. */
  batteryLow: 1 << 4,
  batteryLower: 1 << 5,
  batteryEmpty: 1 << 6,
  /** Row 46: a speed controller does not answer, or drives by itself. */
  signalLost: 1 << 7,
  /** Row 47: an object is in the slow-down zone, or in the stop zone; or the sensor is silent. */
  obstacleNear: 1 << 8,
  obstacleInside: 1 << 9,
} as const;

export type HardwareFault = keyof typeof HARDWARE;

/** Counters of a bus, in the order of `DriverReport.busCounters`. All but the last three are cumulative since the start. */
export const BUS_COUNTERS = [
  /** Requests that expect a reply, and replies received in time. */
  'requests',
  'replies',
  /** Requests repeated in the same tick, and requests without a reply in time. */
  'retries',
  'timeouts',
  /** Packets with a wrong checksum, replies from another device or to another request (row 12), and bytes outside any packet (row 11). */
  'checksumErrors',
  'foreignReplies',
  'skippedBytes',
  /** Bytes sent and received. */
  'sentBytes',
  'receivedBytes',
  /** Devices currently skipped because they do not answer. */
  'quarantined',
  /** Age of the oldest joint value, and time that the bus took for the last tick, s. */
  'oldestS',
  'busyS',
] as const;

export type BusCounter = (typeof BUS_COUNTERS)[number];

/** Index of each counter in `DriverReport.busCounters`. */
export const BUS: Readonly<Record<BusCounter, number>> = Object.fromEntries(
  BUS_COUNTERS.map((name, i) => [name, i]),
) as Record<BusCounter, number>;
