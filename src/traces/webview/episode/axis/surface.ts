/** A canvas in CSS pixels on screens of any resolution. */
export class Surface {
  readonly pen: CanvasRenderingContext2D;
  readonly #canvas: HTMLCanvasElement;
  #width = 0;
  #height = 0;

  constructor(canvas: HTMLCanvasElement) {
    const pen = canvas.getContext('2d');
    if (pen === null) throw new Error('This browser draws on no canvas.');
    this.#canvas = canvas;
    this.pen = pen;
  }

  get width(): number {
    return this.#width;
  }

  get height(): number {
    return this.#height;
  }

  /** Fits the canvas to its size in the layout. */
  fit(): void {
    this.resize(this.#canvas.clientWidth, this.#canvas.clientHeight);
  }

  resize(width: number, height: number): void {
    const ratio = window.devicePixelRatio;
    this.#width = width;
    this.#height = height;
    const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
    // Setting the size clears the canvas.
    if (this.#canvas.width !== columns) this.#canvas.width = columns;
    if (this.#canvas.height !== rows) this.#canvas.height = rows;
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** Copies the contents of another surface of the same size. */
  copy(other: Surface): void {
    this.pen.clearRect(0, 0, this.#width, this.#height);
    if (this.#width === 0 || this.#height === 0) return;
    this.pen.drawImage(other.#canvas, 0, 0, this.#width, this.#height);
  }
}
