"use strict";
(() => {
  const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
  const made = (name, text, style) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (style) element.className = style;
    return element;
  };

  // What is wider than its place fades out at the right, as long as there is more to see there.
  const fade = (box) => {
    const mark = () => {
      box.classList.toggle("more", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    };
    box.addEventListener("scroll", mark, { passive: true });
    new ResizeObserver(mark).observe(box);
  };
  all(".scroll, pre").forEach(fade);

  // Sorting. A cell counts as the number it starts with: 0.41, [0.39, 0.43], <0.001, 12/3/4.
  const NUMBER = /^[\[(<>≤≥~]*\s*([-−+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)/i;
  const MISSING = /^(|-|–|nan|none)$/i;
  const numberOf = (text) => {
    const found = NUMBER.exec(text);
    return found ? Number(found[1].replace("−", "-")) : NaN;
  };
  const words = new Intl.Collator(undefined, { numeric: true });
  const sortBy = (table, column, falling) => {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).map((row) => [row.cells[column].textContent.trim(), row]);
    const known = rows.filter(([text]) => !MISSING.test(text));
    const missing = rows.filter(([text]) => MISSING.test(text));
    const asNumbers = known.every(([text]) => !Number.isNaN(numberOf(text)));
    known.sort(([a], [b]) => {
      const order = asNumbers ? numberOf(a) - numberOf(b) : words.compare(a, b);
      return falling ? -order : order;
    });
    body.append(...known.concat(missing).map(([, row]) => row));
  };
  for (const table of all("table.sortable")) {
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        // Numbers are mostly looked at from the largest down, words from the first on.
        const before = head.getAttribute("aria-sort");
        const first = head.classList.contains("numbers") ? "descending" : "ascending";
        const other = first === "descending" ? "ascending" : "descending";
        const order = before === first ? other : first;
        heads.forEach((one) => one.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", order);
        sortBy(table, column, order === "descending");
      });
    });
  }
  for (const input of all(".filter-rows")) {
    const rows = all("tbody tr", input.closest("details"));
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
  }

  // Tips: the <title> of what is pointed at, shown at once. It is taken away so that it is not shown twice.
  const tooltip = document.getElementById("tooltip");
  const tipOf = (target) => {
    const element = target.closest && target.closest(".chart *");
    if (!element) return null;
    const title = Array.from(element.children).find((child) => child.tagName.toLowerCase() === "title");
    if (title) {
      element.dataset.tip = title.textContent;
      element.setAttribute("aria-label", title.textContent);
      title.remove();
    }
    return element.dataset.tip || null;
  };
  const place = (event) => {
    const box = tooltip.getBoundingClientRect();
    const x = Math.min(event.clientX + 14, window.innerWidth - box.width - 6);
    const y = event.clientY + 18 + box.height > window.innerHeight ? event.clientY - box.height - 10 : event.clientY + 18;
    tooltip.style.left = `${Math.max(4, x)}px`;
    tooltip.style.top = `${Math.max(4, y)}px`;
  };
  const tell = (event) => {
    const text = tipOf(event.target);
    tooltip.hidden = !text;
    if (text) {
      tooltip.textContent = text;
      place(event);
    }
  };
  document.addEventListener("pointerover", tell);
  document.addEventListener("pointermove", tell);
  document.addEventListener("scroll", () => { tooltip.hidden = true; }, { passive: true, capture: true });

  // The matrix: a click shows the verdict of a cell.
  const verdictBox = (verdict) => {
    const box = made("div", undefined, `verdict ${verdict.outcome}`);
    const head = made("p", undefined, "verdict-head");
    head.append(made("span", undefined, "sign"), verdict.head);
    const facts = made("dl", undefined, "facts");
    for (const [name, sentences] of verdict.rows) {
      const said = made("dd");
      said.append(...sentences.map((sentence) => made("p", sentence)));
      facts.append(made("dt", name), said);
    }
    box.append(head, facts);
    if (verdict.details.length) {
      const evidence = made("div", undefined, "evidence");
      evidence.append(...verdict.details.map(([kind, text]) => made(kind, text)));
      all("pre", evidence).forEach(fade);
      box.append(evidence);
    }
    return box;
  };
  for (const matrix of all(".matrix")) {
    const data = JSON.parse(matrix.querySelector(".matrix-data").textContent);
    const panel = matrix.querySelector(".cell-panel");
    matrix.addEventListener("click", (event) => {
      const cell = event.target.closest(".cell");
      if (!cell) return;
      all(".cell.chosen", matrix).forEach((one) => one.classList.remove("chosen"));
      cell.classList.add("chosen");
      panel.replaceChildren(verdictBox(data[cell.dataset.row][cell.dataset.column]));
      panel.hidden = false;
      panel.scrollIntoView({ block: "nearest" });
    });
  }

  // Laws: a slider, or a point in the picture, moves the law of a scene.
  const lawScene = (scene) => {
    const data = JSON.parse(scene.querySelector(".scene-data").textContent);
    const sliders = all(".law-slider", scene);
    const rows = all(".law-table tbody tr", scene);
    const n = data.steps;
    const numberOfLaw = new Map(data.laws.map((law, k) => [law.join(), k]));
    const ranking = (k) => (k < 0 ? "not computed" : data.rankings[k]);
    const show = (law) => {
      const k = numberOfLaw.get(law.join());
      const parts = law.map((weight, at) => `${data.corners[at]} with ${(weight / n).toFixed(2)}`);
      scene.querySelector(".law-words").textContent = parts.join(", ");
      sliders.forEach((slider, at) => { slider.value = law[at + 1]; });
      data.rows.forEach((known, at) => {
        const row = rows[at];
        row.querySelector(".ranking").textContent = ranking(known.reached[k]);
        row.querySelector(".value").textContent = known.value[k];
        row.querySelector(".lost").textContent = known.lost[k];
        row.classList.toggle("wrong", Boolean(known.lost[k]));
      });
      for (const line of all("line.cursor", scene)) {
        const low = Number(line.dataset.low), high = Number(line.dataset.high);
        const x = low + ((high - low) * law[1]) / n;
        line.setAttribute("x1", x);
        line.setAttribute("x2", x);
      }
      for (const dot of all("circle.cursor", scene)) {
        const corners = dot.dataset.corners.split(" ").map((pair) => pair.split(",").map(Number));
        ["cx", "cy"].forEach((name, axis) => {
          dot.setAttribute(name, law.reduce((sum, weight, at) => sum + (weight * corners[at][axis]) / n, 0));
        });
      }
    };
    sliders.forEach((slider, at) => {
      slider.addEventListener("input", () => {
        const weights = sliders.map((one) => Number(one.value));
        // What is given to one is taken from the other when both would have more than all.
        if (weights.length === 2) weights[1 - at] = Math.min(weights[1 - at], n - weights[at]);
        show([n - weights.reduce((a, b) => a + b, 0), ...weights]);
      });
    });
    const pointed = (svg, event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const line = svg.querySelector("line.cursor");
      if (line) {
        const low = Number(line.dataset.low), high = Number(line.dataset.high);
        const k = Math.max(0, Math.min(n, Math.round((n * (at.x - low)) / (high - low))));
        return [n - k, k];
      }
      for (const dot of all("circle.cursor", svg)) {
        const [a, b, c] = dot.dataset.corners.split(" ").map((pair) => pair.split(",").map(Number));
        const third = (a[1] - at.y) / (a[1] - c[1]);
        const second = (at.x - a[0] - third * (c[0] - a[0])) / (b[0] - a[0]);
        const shares = [1 - second - third, second, third];
        if (Math.min(...shares) > -0.05) {
          const j = Math.max(0, Math.min(n, Math.round(n * third)));
          const i = Math.max(0, Math.min(n - j, Math.round(n * second)));
          return [n - i - j, i, j];
        }
      }
      return null;
    };
    for (const svg of all(".laws-strips, .laws-triangles", scene)) {
      const follow = (event) => {
        const law = pointed(svg, event);
        if (law) show(law);
      };
      svg.addEventListener("pointerdown", follow);
      svg.addEventListener("pointermove", (event) => { if (event.buttons) follow(event); });
    }
  };
  all(".scene").forEach(lawScene);
  for (const choice of all(".scene-choice")) {
    const scenes = all(".scene", choice.closest(".laws"));
    const show = () => scenes.forEach((scene, at) => { scene.hidden = at !== Number(choice.value); });
    choice.addEventListener("change", show);
    // A page that is loaded again may keep the choice.
    show();
  }

  for (const button of all(".copy")) {
    const text = button.closest(".command").querySelector("code").textContent;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(button.closest(".command").querySelector("code"));
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }

  // On paper nothing can be opened.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details:not([open])");
    opened.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((one) => { one.open = false; }));
})();
