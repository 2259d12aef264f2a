export { type DeliveryResult, measureDelivery, measureRoundTrip, type RoundTripResult } from './measure-topics.ts';
