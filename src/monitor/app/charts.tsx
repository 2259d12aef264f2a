/** Charts of a report saved as a file: each figure's embedded data is replaced by its plot. */
import './main.css';
import { render } from 'preact';
import type { ChartView } from '../page/chart.ts';
import { PlotArea } from './plot.tsx';

for (const place of document.querySelectorAll('.plot')) {
  const view = JSON.parse(place.querySelector('script')?.textContent ?? '') as ChartView;
  place.replaceChildren();
  render(<PlotArea {...view} />, place);
}
