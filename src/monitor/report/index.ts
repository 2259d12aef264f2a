export { type Axis, type Chart, figure, type Hue, type Layer, type Point, renderChart, shortNumber } from './chart.ts';
export { attribute, text } from './html.ts';
