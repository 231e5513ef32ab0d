// Draws the part of a matrix that is in sight: its cost does not depend on how many rows and columns there are.
import { h, shown } from './dom.js';

export const CELL = 22;
const LEFT = 190;
const TOP = 74;

/** Colours of processes, far apart for neighbours (golden angle). */
export function colour(process) {
  const dark = getComputedStyle(document.documentElement).getPropertyValue('--dark').trim() === '1';
  return `hsl(${(process * 137.508 + 200) % 360} 65% ${dark ? 62 : 42}%)`;
}

/** A scrolled canvas. `draw(data)` with {rows, columns, grid}; `chosen(row, column)` is told where the cursor is. */
export class MatrixCanvas {
  constructor(label, chosen) {
    this.canvas = h('canvas', {});
    this.spacer = h('div', { class: 'spacer' });
    this.element = h(
      'div',
      {
        id: 'matrix',
        class: 'matrix',
        tabindex: 0,
        role: 'application',
        'aria-label': label,
        'aria-describedby': 'cell',
      },
      this.canvas,
      this.spacer,
    );
    this.data = { rows: [], columns: [], grid: new Map() };
    this.cursor = { row: 0, column: 0 };
    this.chosen = chosen;
    this.element.addEventListener('scroll', () => this.later());
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.element.addEventListener('click', (event) => this.click(event));
    this.sizes = new ResizeObserver(() => this.later());
    this.sizes.observe(this.element);
    this.themed = () => this.later();
    window.addEventListener('themechange', this.themed);
  }

  end() {
    this.sizes.disconnect();
    window.removeEventListener('themechange', this.themed);
  }

  draw(data) {
    this.data = data;
    this.spacer.style.width = `${LEFT + data.columns.length * CELL + CELL}px`;
    this.spacer.style.height = `${TOP + data.rows.length * CELL + CELL}px`;
    this.element.style.height = `${TOP + (data.rows.length + 2) * CELL}px`;
    this.move(0, 0, false);
    this.later();
  }

  later() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.paint();
    });
  }

  move(rows, columns, tell = true) {
    const within = (value, count) => Math.max(0, Math.min(count - 1, value));
    this.cursor = {
      row: within(this.cursor.row + rows, this.data.rows.length),
      column: within(this.cursor.column + columns, this.data.columns.length),
    };
    if (tell) this.chosen(this.cursor.row, this.cursor.column);
  }

  key(event) {
    const page = 10;
    const steps = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      PageUp: [-page, 0],
      PageDown: [page, 0],
      Home: [0, -Infinity],
      End: [0, Infinity],
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    this.move(...step);
    this.reveal();
    this.later();
  }

  click(event) {
    const box = this.element.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    if (x < LEFT || y < TOP) return;
    this.cursor = {
      row: Math.floor((y - TOP + this.element.scrollTop) / CELL),
      column: Math.floor((x - LEFT + this.element.scrollLeft) / CELL),
    };
    this.move(0, 0);
    this.later();
  }

  reveal() {
    const of = this.element;
    const y = this.cursor.row * CELL;
    const x = this.cursor.column * CELL;
    of.scrollTop = Math.min(y, Math.max(of.scrollTop, y - of.clientHeight + TOP + 2 * CELL));
    of.scrollLeft = Math.min(x, Math.max(of.scrollLeft, x - of.clientWidth + LEFT + 2 * CELL));
  }

  paint() {
    const { clientWidth: width, clientHeight: height, scrollLeft, scrollTop } = this.element;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const pen = this.canvas.getContext('2d');
    pen.scale(scale, scale);
    const style = getComputedStyle(this.element);
    const ink = style.color;
    const paper = style.getPropertyValue('--paper');
    pen.font = '12px system-ui, sans-serif';
    const rows = range(scrollTop, height - TOP, this.data.rows.length);
    const columns = range(scrollLeft, width - LEFT, this.data.columns.length);
    this.paintCells(pen, rows, columns, ink);
    pen.fillStyle = paper;
    pen.fillRect(0, 0, width, TOP);
    pen.fillRect(0, 0, LEFT, height);
    pen.fillStyle = ink;
    this.paintHeads(pen, rows, columns);
  }

  paintCells(pen, rows, columns, ink) {
    const { scrollLeft, scrollTop } = this.element;
    for (let row = rows.first; row < rows.end; ++row) {
      for (let column = columns.first; column < columns.end; ++column) {
        const x = LEFT + column * CELL - scrollLeft;
        const y = TOP + row * CELL - scrollTop;
        pen.globalAlpha = 0.15;
        pen.strokeStyle = ink;
        pen.strokeRect(x + 0.5, y + 0.5, CELL, CELL);
        pen.globalAlpha = 1;
        shapes(pen, this.data.grid.get(row)?.get(column) ?? [], x, y);
        if (row === this.cursor.row && column === this.cursor.column) {
          pen.strokeStyle = ink;
          pen.lineWidth = 2;
          pen.strokeRect(x + 1.5, y + 1.5, CELL - 2, CELL - 2);
          pen.lineWidth = 1;
        }
      }
    }
  }

  paintHeads(pen, rows, columns) {
    const { scrollLeft, scrollTop } = this.element;
    for (let row = rows.first; row < rows.end; ++row) {
      const y = TOP + row * CELL - scrollTop;
      if (y >= TOP - 8) pen.fillText(cut(shown(this.data.rows[row])), 6, y + 15, LEFT - 12);
    }
    for (let column = columns.first; column < columns.end; ++column) {
      const x = LEFT + column * CELL - scrollLeft;
      if (x < LEFT - 8) continue;
      pen.save();
      pen.translate(x + 15, TOP - 6);
      pen.rotate(-Math.PI / 2);
      pen.fillText(shown(this.data.columns[column]), 0, 0, TOP - 10);
      pen.restore();
    }
  }
}

function cut(text) {
  return text.length > 26 ? `${text.slice(0, 12)}…${text.slice(-12)}` : text;
}

function range(scrolled, size, count) {
  const first = Math.floor(scrolled / CELL);
  return { first, end: Math.min(count, first + Math.ceil(size / CELL) + 1) };
}

/** One shape fills the cell, up to four share it; who holds the rest is told in words. */
function shapes(pen, holdings, x, y) {
  if (holdings.length === 1) shape(pen, holdings[0], x, y);
  if (holdings.length < 2) return;
  holdings.slice(0, 4).forEach((one, index) => {
    pen.save();
    pen.translate(x + 1 + (index % 2) * (CELL / 2 - 1), y + 1 + Math.floor(index / 2) * (CELL / 2 - 1));
    pen.scale(0.5, 0.5);
    shape(pen, one, 0, 0);
    pen.restore();
  });
}

/** Role by shape: active a square, standby a ring, warm-up a triangle that fills as it catches up. */
export function shape(pen, one, x, y) {
  pen.strokeStyle = colour(one.process);
  pen.fillStyle = pen.strokeStyle;
  pen.lineWidth = 2;
  pen.setLineDash(one.state === 'coming' ? [2, 2] : []);
  pen.beginPath();
  if (one.role === 'active') pen.rect(x + 5, y + 5, 12, 12);
  if (one.role === 'standby') pen.arc(x + 11, y + 11, 6, 0, 2 * Math.PI);
  if (one.role === 'warmup') {
    pen.moveTo(x + 11, y + 4);
    pen.lineTo(x + 18, y + 17);
    pen.lineTo(x + 4, y + 17);
    pen.closePath();
  }
  if (one.role === 'active' && one.state !== 'coming') pen.fill();
  pen.stroke();
  if (one.role === 'warmup' && one.share !== null) {
    pen.save();
    pen.clip();
    pen.fillRect(x, y + 17 - 13 * one.share, CELL, CELL);
    pen.restore();
  }
  pen.setLineDash([]);
  if (one.state === 'going') line(pen, x, y);
  pen.lineWidth = 1;
}

/** Through what is to be given up. */
function line(pen, x, y) {
  pen.beginPath();
  pen.moveTo(x + 2, y + 20);
  pen.lineTo(x + 20, y + 2);
  pen.stroke();
}
