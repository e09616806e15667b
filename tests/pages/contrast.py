"""Text that does not stand out from its ground, found in the browser by the contrast of WCAG 2."""

from __future__ import annotations

# The body of a function of the least contrast: [text, contrast] of what is fainter.
FAINT = """
const least = arguments[0];
const parts = (colour) => {
  const numbers = colour.match(/-?[\\d.]+(e-?\\d+)?/g).map(Number);
  const scale = colour.startsWith("color(") ? 1 : 255;
  return [numbers[0] / scale, numbers[1] / scale, numbers[2] / scale, numbers.length > 3 ? numbers[3] : 1];
};
const over = (front, back) =>
  front.slice(0, 3).map((c, k) => c * front[3] + back[k] * (1 - front[3])).concat(1);
const light = (colour) => {
  const [r, g, b] = colour.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const groundOf = (element) => {
  const layers = [];
  for (let e = element; e; e = e.parentElement) {
    const layer = parts(getComputedStyle(e).backgroundColor);
    layers.push(layer);
    if (layer[3] === 1) break;
  }
  return layers.reverse().reduce((back, front) => over(front, back), [1, 1, 1, 1]);
};
const opacityOf = (element) => {
  let found = 1;
  for (let e = element; e; e = e.parentElement) found *= Number(getComputedStyle(e).opacity);
  return found;
};
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  const text = walker.currentNode.textContent.trim();
  if (!text || element.closest("script, style, title, [hidden]")) continue;
  if (!element.getClientRects().length) continue;
  const style = getComputedStyle(element), ground = groundOf(element);
  const ink = parts(element.closest("svg") ? style.fill : style.color);
  ink[3] *= opacityOf(element);
  const [a, b] = [light(over(ink, ground)), light(ground)].sort((x, y) => y - x);
  const contrast = (a + 0.05) / (b + 0.05);
  if (contrast < least) found.push([text.slice(0, 60), Math.round(contrast * 100) / 100]);
}
return found;
"""
