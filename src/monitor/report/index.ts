export { type Chart, figure, type Layer, type Point, renderChart, shortNumber } from './chart.ts';
export { attribute, text } from './html.ts';
