/** The charts of a page that is a file: what its figures hold as data is drawn in their place. */
import './main.css';
import { render } from 'preact';
import type { ChartView } from '../page/chart.ts';
import { PlotArea } from './plot.tsx';

for (const place of document.querySelectorAll('.plot')) {
  const view = JSON.parse(place.querySelector('script')?.textContent ?? '') as ChartView;
  place.replaceChildren();
  render(<PlotArea {...view} />, place);
}
