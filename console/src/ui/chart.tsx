// A line over time on a canvas, with a crosshair. Positions are drawn from numbers; what is read (the value under the crosshair, the
// newest one) is the caller's exact text.
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTheme } from "../browser/theme.ts";
import { utc } from "../format/time.ts";

export interface ChartPoint {
  /** As the API gives it. */
  at: string;
  /** Where it is drawn; null leaves a gap. */
  y: number | null;
  /** What is read. */
  text: string;
}

interface ChartProps {
  /** What is drawn, for screen readers too: "Price per share". */
  title: string;
  points: readonly ChartPoint[];
  /** The axis' labels. */
  axis(value: number): string;
  /** One of the tokens `--chart-1` to `--chart-3`. */
  colour: `--chart-${1 | 2 | 3}`;
  /** Charts of one group share their crosshair. */
  group: string;
}

const HEIGHT_PX = 168;

export function Chart({ title, points, axis, colour, group }: ChartProps) {
  const theme = useTheme();
  const box = useRef<HTMLDivElement>(null);
  const [under, setUnder] = useState<number | null>(null);
  const latest = points.findLast(({ y }) => y !== null);
  const read = (under === null ? undefined : points[under]) ?? latest;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme has new colours.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const style = getComputedStyle(document.documentElement);
    const token = (name: string) => style.getPropertyValue(name).trim();
    const plot = new uPlot(
      optionsOf({ width: element.clientWidth, token, colour, group, axis, onCursor: setUnder }),
      [points.map(({ at }) => Date.parse(at) / 1000), points.map(({ y }) => y)],
      element,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
      setUnder(null);
    };
  }, [points, theme, colour, group]);

  const first = points.find(({ y }) => y !== null);
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 px-1">
        <span className="flex items-baseline justify-between gap-x-3">
          <span className="font-medium text-ink-2">{title}</span>
          <span className="num text-2xs whitespace-nowrap text-ink-3">{read ? utc(read.at) : ""}</span>
        </span>
        <span className="num block truncate text-base font-semibold">{read?.text ?? "–"}</span>
      </figcaption>
      <div
        ref={box}
        className="overflow-hidden"
        role="img"
        aria-label={
          first && latest
            ? `${title}: ${first.text} at ${utc(first.at)}, ${latest.text} at ${utc(latest.at)}`
            : `${title}: no data`
        }
        style={{ height: HEIGHT_PX }}
      />
    </figure>
  );
}

interface PlotParts {
  width: number;
  token(name: string): string;
  colour: string;
  group: string;
  axis(value: number): string;
  onCursor(index: number | null): void;
}

function optionsOf({ width, token, colour, group, axis, onCursor }: PlotParts): uPlot.Options {
  const line = token(colour);
  const font = "11px 'Inter Variable', system-ui, sans-serif";
  const common = {
    stroke: token("--ink-3"),
    font,
    grid: { stroke: token("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: HEIGHT_PX,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    cursor: {
      sync: { key: group, setSeries: false },
      y: false,
      points: { size: 7, fill: line, stroke: token("--panel"), width: 2 },
      drag: { x: false, y: false },
    },
    scales: { x: { time: true } },
    axes: [
      {
        ...common,
        size: 26,
        space: 64,
        grid: { show: false },
        values: (_, seconds, __, ___, step) => seconds.map((at) => timeLabel(at, step)),
      },
      { ...common, size: 62, space: 34, values: (_, ticks) => ticks.map(axis) },
    ],
    series: [
      {},
      {
        stroke: line,
        width: 1.5,
        spanGaps: false,
        points: { show: false },
        fill: (plot) => {
          const fade = plot.ctx.createLinearGradient(0, plot.bbox.top, 0, plot.bbox.top + plot.bbox.height);
          fade.addColorStop(0, `${line}33`);
          fade.addColorStop(1, `${line}00`);
          return fade;
        },
      },
    ],
    hooks: { setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)] },
  };
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** "14:00", and where a day begins or the steps are days, "5 Nov"; UTC. */
function timeLabel(seconds: number, stepSeconds: number): string {
  const at = new Date(seconds * 1000);
  const clock = at.toISOString().slice(11, 16);
  return stepSeconds >= 86_400 || clock === "00:00"
    ? `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`
    : clock;
}
