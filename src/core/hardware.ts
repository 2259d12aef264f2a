/** What a driver says of its hardware beside its readings: faults as bits, and what its bus has done as counters. */

/** Faults that hardware reports of itself, as bits of `DriverReport.hardwareFaults`; 0 is healthy. Rows: the fault table. */
export const HARDWARE = {
  /** Row 13: a servo reports overload, heat, voltage or an error of its own, or has latched one and still answers. */
  servoFault: 1 << 0,
  /** Row 13: a servo has started anew by itself: its torque is off and its limits are those of the factory. */
  servoReset: 1 << 1,
  /** Row 37: current or load near its cap while the joint does not follow, for too long. */
  stalled: 1 << 2,
  /** Row 37: a torque cap that was written is not what is read back. */
  torqueCap: 1 << 3,
  /** Row 45: the battery's three steps. */
  batteryLow: 1 << 4,
  batteryLower: 1 << 5,
  batteryEmpty: 1 << 6,
  /** Row 46: a speed controller does not answer, or drives by itself. */
  signalLost: 1 << 7,
  /** Row 47: something is in the zone that slows, or in the one that stops; or the sensor is silent. */
  obstacleNear: 1 << 8,
  obstacleInside: 1 << 9,
} as const;

export type HardwareFault = keyof typeof HARDWARE;

/** What a bus counts, in the order of `DriverReport.busCounters`. All but the last three rise from the start on. */
export const BUS_COUNTERS = [
  /** Requests that wanted a reply, and replies that came in time. */
  'requests',
  'replies',
  /** Requests that were sent again in the same tick, and those that nobody answered in time. */
  'retries',
  'timeouts',
  /** Packets with a wrong checksum, replies of another or to another request (row 12), and bytes that were part of nothing (row 11). */
  'checksumErrors',
  'foreignReplies',
  'skippedBytes',
  /** Bytes sent and received. */
  'sentBytes',
  'receivedBytes',
  /** Devices that are left out of requests because they do not answer; now. */
  'quarantined',
  /** How old the oldest value of a joint is, and how long the bus took for the last tick, s. */
  'oldestS',
  'busyS',
] as const;

export type BusCounter = (typeof BUS_COUNTERS)[number];

/** Where each counter stands in `DriverReport.busCounters`. */
export const BUS: Readonly<Record<BusCounter, number>> = Object.fromEntries(
  BUS_COUNTERS.map((name, i) => [name, i]),
) as Record<BusCounter, number>;
