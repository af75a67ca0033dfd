import { drawAxis } from './draw.ts';
import { rowHeight, rulerHeight, timeAt, xOf, type AxisFrame, type Pen } from './frame.ts';
import { listenToOverview, listenToPointer, type Hover } from './gestures.ts';
import { boundsAt, spanAt, type AxisModel, endOf } from './model.ts';
import { around, following, including, lengthOf, panned, zoomed, type Range } from './range.ts';
import { onThemeChange } from '../../../../base/webview/state/theme.ts';
import { readTheme, type AxisTheme } from './theme.ts';

class Surface {
  readonly pen: CanvasRenderingContext2D;
  readonly #canvas: HTMLCanvasElement;
  width = 0;
  height = 0;

  constructor(canvas: HTMLCanvasElement) {
    const pen = canvas.getContext('2d');
    if (pen === null) throw new Error('This browser draws on no canvas.');
    this.#canvas = canvas;
    this.pen = pen;
  }

  fit(): void {
    this.resize(this.#canvas.clientWidth, this.#canvas.clientHeight);
  }

  resize(width: number, height: number): void {
    const ratio = window.devicePixelRatio;
    this.width = width;
    this.height = height;
    const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
    // Setting the size clears the canvas.
    if (this.#canvas.width !== columns) this.#canvas.width = columns;
    if (this.#canvas.height !== rows) this.#canvas.height = rows;
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  copy(other: Surface): void {
    this.pen.clearRect(0, 0, this.width, this.height);
    if (this.width === 0 || this.height === 0) return;
    this.pen.drawImage(other.#canvas, 0, 0, this.width, this.height);
  }
}

export interface AxisElements {
  readonly scroller: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly overview: HTMLCanvasElement;
}

export interface AxisListeners {
  onPick(span: number): void;
  /** Null: the pointer is not on a span. */
  onHover(hover: Hover | null): void;
  /** Called with each frame in which the visible range has changed. */
  onMoved(): void;
  /** Called when the visible range has settled. */
  onRest(range: Range): void;
  /** Called several times a second while a span runs. */
  onTime(now: number): void;
}

export interface AxisMarks {
  readonly selected: number | null;
  readonly related: ReadonlySet<number>;
}

/** Milliseconds between two frames while spans only grow. */
const beat = 250;
/** Milliseconds without a move after which the range counts as settled. */
const restAfter = 300;

/**
 * The time axis on its canvases. It draws at most once per frame, if something has changed. It owns the visible range,
 * so that a pan or a zoom renders no component.
 */
export class AxisEngine {
  readonly #elements: AxisElements;
  readonly #listeners: AxisListeners;
  readonly #surface: Surface;
  readonly #strip: Surface;
  /** The overview without its window. Only the window moves. */
  readonly #whole = new Surface(document.createElement('canvas'));
  readonly #undo: (() => void)[] = [];
  #theme: AxisTheme;
  #model: AxisModel;
  #marks: AxisMarks = { selected: null, related: new Set() };
  #hovered: number | null = null;
  #bounds: Range;
  #range: Range;
  #now: number;
  #frame: number | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #wholeOf: readonly unknown[] = [];
  #painted: Range | undefined;
  #gutter: number | undefined;

  /** @param range the range that was visible before; undefined: all */
  constructor(elements: AxisElements, listeners: AxisListeners, model: AxisModel, range: Range | undefined) {
    this.#elements = elements;
    this.#listeners = listeners;
    this.#surface = new Surface(elements.canvas);
    this.#strip = new Surface(elements.overview);
    this.#theme = readTheme(elements.scroller, this.#surface.pen);
    this.#model = model;
    this.#now = Date.now() - model.origin;
    this.#bounds = boundsAt(model, this.#now);
    this.#range = range === undefined ? this.#bounds : panned(range, 0, this.#bounds);
    this.#listen();
    this.draw();
  }

  get range(): Range {
    return this.#range;
  }

  /** The width of the lane names, in pixels. */
  get gutter(): number {
    this.#gutter ??= Number.parseFloat(
      getComputedStyle(this.#elements.scroller).getPropertyValue('--lane-name'),
    );
    return this.#gutter;
  }

  show(model: AxisModel, marks: AxisMarks): void {
    const isNew = model !== this.#model;
    this.#model = model;
    this.#marks = marks;
    if (isNew) this.#hover(null);
    this.#tick();
    this.draw();
  }

  /** @param at a time that keeps its position */
  zoom(factor: number, at = this.#middle()): void {
    this.#go(zoomed(this.#range, factor, at, this.#bounds));
  }

  /** @param screens number of screens; positive is later */
  pan(screens: number): void {
    this.#go(panned(this.#range, screens * lengthOf(this.#range), this.#bounds));
  }

  panTo(start: number): void {
    this.#go(panned(this.#range, start - this.#range.start, this.#bounds));
  }

  fit(): void {
    this.#go(this.#bounds);
  }

  frame(span: Range): void {
    this.#go(around(this.#ended(span), this.#bounds));
  }

  /** Scrolls a span into view, on both axes. */
  reveal(id: number): void {
    const span = this.#model.spans[id];
    if (span === undefined) return;
    this.#go(including(this.#range, this.#ended(span), this.#bounds));
    const { scroller } = this.#elements;
    const top = (this.#model.rowOf.get(span) ?? 0) * rowHeight;
    const height = scroller.clientHeight - rulerHeight - rowHeight;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + height) scroller.scrollTop = top - height;
  }

  /** Returns the span at a point of the canvas; undefined: there is none. */
  spanAt(x: number, y: number): number | undefined {
    const frame = this.#frameOf(this.#surface);
    if (y < rulerHeight || x < frame.gutter) return undefined;
    const row = Math.floor((y - rulerHeight + frame.scrollTop) / rowHeight);
    const reach = (4 * lengthOf(frame.range)) / Math.max(1, frame.width - frame.gutter);
    return spanAt(this.#model, row, timeAt(x, frame), { reach, now: this.#now });
  }

  /** Returns the start of a span's bar and the bottom of its row, in page coordinates. */
  anchorOf(id: number): { readonly x: number; readonly y: number } {
    const frame = this.#frameOf(this.#surface);
    const { left, top } = this.#elements.canvas.getBoundingClientRect();
    const span = this.#model.spans[id];
    const x = xOf(Math.max(span?.start ?? 0, frame.range.start), frame);
    const row = (span && this.#model.rowOf.get(span)) ?? 0;
    return { x: left + x, y: top + rulerHeight + (row + 1) * rowHeight - frame.scrollTop };
  }

  timeAt(x: number): number {
    return timeAt(x, this.#frameOf(this.#surface));
  }

  /** @param x a coordinate of the overview */
  timeOfWhole(x: number): number {
    return timeAt(x, { ...this.#frameOf(this.#strip), range: this.#bounds });
  }

  draw(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#paint();
    });
  }

  /** Reports the settled range immediately, if that is still pending. */
  settle(): void {
    if (this.#rest === undefined) return;
    clearTimeout(this.#rest);
    this.#rest = undefined;
    this.#listeners.onRest(this.#range);
  }

  dispose(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.settle();
    for (const undo of this.#undo.splice(0)) undo();
  }

  #listen(): void {
    const { scroller, canvas, overview } = this.#elements;
    const resized = new ResizeObserver(() => {
      this.#gutter = undefined; // it is narrower on a narrow page
      this.draw();
    });
    for (const element of [scroller, canvas, overview]) resized.observe(element);
    const onScroll = (): void => this.draw();
    scroller.addEventListener('scroll', onScroll);
    const beating = setInterval(() => this.#tick(), beat);
    const onLeave = (): void => this.settle();
    window.addEventListener('pagehide', onLeave);
    this.#undo.push(
      () => resized.disconnect(),
      () => scroller.removeEventListener('scroll', onScroll),
      () => clearInterval(beating),
      () => window.removeEventListener('pagehide', onLeave),
      onThemeChange(() => {
        this.#theme = readTheme(scroller, this.#surface.pen);
        this.draw();
      }),
      listenToPointer(canvas, this, {
        onPick: (span) => this.#listeners.onPick(span),
        onHover: (hover) => this.#hover(hover),
        onScroll: (pixels) => (scroller.scrollTop += pixels),
      }),
      listenToOverview(overview, this),
    );
  }

  /** Advances the time while a span runs, even if no data arrives. */
  #tick(): void {
    const before = this.#bounds;
    if (this.#model.runs) this.#now = Date.now() - this.#model.origin;
    this.#bounds = boundsAt(this.#model, this.#now);
    if (before.end === this.#bounds.end) return;
    this.#range = following(this.#range, before, this.#bounds);
    this.#listeners.onTime(this.#now);
    this.draw();
  }

  #hover(hover: Hover | null): void {
    const span = hover?.span ?? null;
    if (span === null && this.#hovered === null) return;
    this.#listeners.onHover(hover);
    if (span === this.#hovered) return;
    this.#hovered = span;
    this.draw();
  }

  #go(range: Range): void {
    this.#range = range;
    this.draw();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.settle(), restAfter);
  }

  /** Returns the range of a span so far. */
  #ended({ start, end }: Range): Range {
    return { start, end: Math.min(end, this.#bounds.end) };
  }

  #middle(): number {
    const { start, end } = this.#range;
    const span = this.#model.spans[this.#marks.selected ?? -1];
    const middle = span === undefined ? NaN : (span.start + Math.min(span.end, this.#bounds.end)) / 2;
    return middle >= start && middle <= end ? middle : (start + end) / 2;
  }

  #frameOf({ width, height }: Surface): AxisFrame {
    const { selected, related } = this.#marks;
    return {
      model: this.#model,
      range: this.#range,
      now: this.#now,
      width,
      height,
      gutter: this.gutter,
      scrollTop: this.#elements.scroller.scrollTop,
      selected,
      hovered: this.#hovered,
      related,
    };
  }

  #paint(): void {
    this.#surface.fit();
    this.#strip.fit();
    drawAxis(this.#surface.pen, this.#frameOf(this.#surface), this.#theme);
    const frame = this.#frameOf(this.#strip);
    const wholeOf = [this.#model, this.#bounds.end, this.#theme, frame.width, frame.height, frame.gutter];
    if (wholeOf.some((part, index) => part !== this.#wholeOf[index])) {
      this.#whole.resize(frame.width, frame.height);
      drawOverview(this.#whole.pen, frame, this.#bounds, this.#theme);
      this.#wholeOf = wholeOf;
    }
    this.#strip.copy(this.#whole);
    drawWindow(this.#strip.pen, frame, this.#bounds, this.#theme);
    if (this.#painted !== this.#range) this.#listeners.onMoved();
    this.#painted = this.#range;
  }
}

function drawOverview(pen: Pen, frame: AxisFrame, bounds: Range, theme: AxisTheme): void {
  const { model, width, height, gutter } = frame;
  pen.clearRect(0, 0, width, height);
  const whole = { range: bounds, width, gutter };
  const resolution = lengthOf(bounds) / Math.max(1, width - gutter);
  const line = Math.max(1, (height - 4) / Math.max(1, model.rows.length));
  model.rows.forEach(({ mips, lane }, row) => {
    const y = 2 + Math.min(row * line, height - 5);
    const kind = model.lanes[lane]?.kind ?? 'agent';
    pen.globalAlpha = kind === 'workflow' ? 0.35 : 0.8;
    for (const { start, end, failed } of mips.at(resolution)) {
      const x = xOf(start, whole);
      pen.fillStyle = failed ? theme.failed : theme.lanes[kind];
      const right = xOf(endOf({ start, end }, frame.now), whole);
      pen.fillRect(x, y, Math.max(1, right - x), Math.max(1, line - 0.5));
    }
  });
  pen.globalAlpha = 1;
}

function drawWindow(pen: Pen, frame: AxisFrame, bounds: Range, theme: AxisTheme): void {
  const { width, height, gutter, range } = frame;
  const whole = { range: bounds, width, gutter };
  const [left, right] = [xOf(range.start, whole), xOf(range.end, whole)];
  pen.fillStyle = theme.background;
  pen.globalAlpha = 0.65;
  pen.fillRect(gutter, 0, left - gutter, height);
  pen.fillRect(right, 0, width - right, height);
  pen.globalAlpha = 1;
  pen.strokeStyle = theme.focus;
  pen.lineWidth = 1;
  pen.strokeRect(left + 0.5, 0.5, Math.max(2, right - left - 1), height - 1);
}
