/** What a button has opened elsewhere on the page is brought to where the person looks, and the keys go on there. */
export function focusOn(selector: string): void {
  // Once it is drawn.
  requestAnimationFrame(() => {
    const place = document.querySelector<HTMLElement>(selector);
    if (place === null) return;
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block: 'start' });
  });
}
