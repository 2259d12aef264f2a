/** Scrolls to and focuses a part of the page that a button has opened, so that keys continue there. */
export function focusOn(selector: string): void {
  // After it has been drawn.
  requestAnimationFrame(() => {
    const place = document.querySelector<HTMLElement>(selector);
    if (place === null) return;
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block: 'start' });
  });
}
