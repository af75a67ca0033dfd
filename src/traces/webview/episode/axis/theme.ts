import { readColors } from '../../../../base/webview/state/theme.ts';
import type { LaneKind } from './model.ts';

export interface AxisTheme {
  readonly lanes: Readonly<Record<LaneKind, string>>;
  readonly related: string;
  readonly failed: string;
  readonly text: string;
  readonly muted: string;
  readonly border: string;
  readonly background: string;
  readonly focus: string;
  readonly font: string;
  /** Diagonal lines in a lane's color, for waiting times. */
  readonly hatched: ReadonlyMap<string, CanvasPattern | string>;
}

/** @param element has the `--axis-…` properties, which may refer to variables of the editor or to system colors */
export function readTheme(element: HTMLElement, context: CanvasRenderingContext2D): AxisTheme {
  return readColors(element, (colorOf) => {
    const color = (name: string): string => colorOf(`axis-${name}`);
    const lanes = {
      workflow: color('workflow'),
      agent: color('agent'),
      tool: color('tool'),
      environment: color('environment'),
      helper: color('helper'),
      judge: color('judge'),
    };
    const { fontSize, fontFamily } = getComputedStyle(element);
    return {
      lanes,
      related: color('related'),
      failed: color('failed'),
      text: color('text'),
      muted: color('muted'),
      border: color('border'),
      background: color('background'),
      focus: color('focus'),
      font: `${fontSize} ${fontFamily}`,
      hatched: new Map(Object.values(lanes).map((one) => [one, hatch(context, one)])),
    };
  });
}

const hatchSize = 6;

function hatch(context: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const tile = document.createElement('canvas');
  tile.width = tile.height = hatchSize;
  const pen = tile.getContext('2d');
  if (pen === null) return colour;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const offset of [-hatchSize, 0, hatchSize]) {
    pen.moveTo(offset, hatchSize);
    pen.lineTo(offset + hatchSize, 0);
  }
  pen.stroke();
  return context.createPattern(tile, 'repeat') ?? colour;
}
