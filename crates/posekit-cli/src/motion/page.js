"use strict";
// Plays the figures of the page. Coordinates: x and y along the floor, z up, metres for a leg of 0.85 m.
(() => {
  const TRAIL = 1.6; // seconds that a foot's way stays to be seen
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;

  const unpack = (text, step) => {
    const raw = atob(text);
    const out = new Float32Array(raw.length / 2);
    for (let i = 0; i < out.length; i++) {
      const short = raw.charCodeAt(2 * i) | (raw.charCodeAt(2 * i + 1) << 8);
      out[i] = (short > 32767 ? short - 65536 : short) * step;
    }
    return out;
  };

  const colours = (element) => {
    const style = getComputedStyle(element);
    const of = (name) => style.getPropertyValue(name).trim();
    return {
      paper: of("--paper"), ink: of("--ink"), grid: of("--grid"), quiet: of("--quiet"),
      before: { fill: of("--start-tint"), edge: of("--start") },
      after: { fill: of("--c-tint"), edge: of("--c-edge") },
    };
  };

  // Which frame a joint stands in, as plants' numbers per joint.
  const standing = (data) => {
    const byJoint = new Map();
    for (const [joint, from, to] of data.plants) {
      if (!byJoint.has(joint)) byJoint.set(joint, []);
      byJoint.get(joint).push([from, to]);
    }
    return (joint, frame) => (byJoint.get(joint) ?? []).some(([from, to]) => frame >= from && frame <= to);
  };

  // Where the camera looks: along with the root, smoothly.
  const follow = (points, n, joints, root, fps) => {
    const window = Math.max(1, Math.round(fps * 0.5));
    const sums = [[0], [0]];
    for (let f = 0; f < n; f++) {
      for (const k of [0, 1]) sums[k].push(sums[k][f] + points[3 * (f * joints + root) + k]);
    }
    return (frame) => {
      const low = Math.max(0, Math.floor(frame) - window), high = Math.min(n, Math.floor(frame) + window + 1);
      return [0, 1].map((k) => (sums[k][high] - sums[k][low]) / (high - low));
    };
  };

  const setup = (host) => {
    const data = JSON.parse(document.getElementById(host.dataset.play).textContent);
    const joints = data.parents.length;
    const sides = {};
    for (const side of ["before", "after"]) if (data[side]) sides[side] = unpack(data[side], data.step);
    const n = sides.before.length / (3 * joints);
    if (n < 1) return;
    const stands = standing(data);
    const centres = {};
    for (const side in sides) centres[side] = follow(sides[side], n, joints, data.root, data.fps);
    let tall = 0.5;
    for (let i = 2; i < sides.before.length; i += 3) tall = Math.max(tall, sides.before[i]);
    const panes = [...host.querySelectorAll("canvas")];
    const view = { azimuth: data.heading - Math.PI / 2 - 0.5, elevation: 0.16 };
    const state = { time: 0, isPlaying: !isCalm && n > 1, speed: 1 };
    const duration = (n - 1) / data.fps;

    // One point between two frames.
    const at = (points, frame, joint) => {
      const f = Math.min(Math.floor(frame), n - 1), g = Math.min(f + 1, n - 1), part = frame - f;
      const a = 3 * (f * joints + joint), b = 3 * (g * joints + joint);
      return [0, 1, 2].map((k) => points[a + k] + part * (points[b + k] - points[a + k]));
    };

    const draw = () => {
      const look = colours(host);
      const frame = state.time * data.fps;
      for (const canvas of panes) drawPane(canvas, sides[canvas.dataset.side], canvas.dataset.side, frame, look);
      host.dispatchEvent(new Event("shown"));
    };

    const drawPane = (canvas, points, side, frame, look) => {
      const scale = devicePixelRatio || 1;
      const width = canvas.clientWidth, height = canvas.clientHeight;
      if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
      if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
      const pen = canvas.getContext("2d");
      pen.setTransform(scale, 0, 0, scale, 0, 0);
      pen.clearRect(0, 0, width, height);
      const zoom = Math.min((height - 48) / (tall + 0.24), width / (tall * 0.9));
      const eye = centres[side](frame);
      const [ca, sa, ce, se] = [Math.cos(view.azimuth), Math.sin(view.azimuth), Math.cos(view.elevation), Math.sin(view.elevation)];
      const project = ([x, y, z]) => {
        const dx = x - eye[0], dy = y - eye[1];
        const right = -sa * dx + ca * dy, away = -(ca * dx + sa * dy);
        return [width / 2 + zoom * right, height - 28 - zoom * (z * ce + away * se * 0.999)];
      };
      floor(pen, project, eye, look, width / zoom);
      trails(pen, project, points, frame, look[side]);
      figure(pen, project, points, frame, zoom, look[side], look);
    };

    const floor = (pen, project, eye, look, wide) => {
      const cell = 0.5, reach = Math.ceil(wide / cell / 1.6);
      const [cx, cy] = eye.map((v) => Math.round(v / cell));
      pen.lineWidth = 1;
      pen.strokeStyle = look.grid;
      for (let k = -reach; k <= reach; k++) {
        for (const swap of [false, true]) {
          const line = [-reach, reach].map((m) => {
            const [i, j] = swap ? [m, k] : [k, m];
            return project([(cx + i) * cell, (cy + j) * cell, 0]);
          });
          pen.beginPath();
          pen.moveTo(...line[0]);
          pen.lineTo(...line[1]);
          pen.stroke();
        }
      }
    };

    // A foot's way fades with age; where it stands it is thick.
    const trails = (pen, project, points, frame, look) => {
      const length = Math.round(TRAIL * data.fps);
      const last = Math.floor(frame);
      pen.strokeStyle = look.edge;
      pen.lineCap = "round";
      for (const joint of data.feet) {
        for (let f = Math.max(1, last - length); f <= last; f++) {
          const isPlanted = stands(joint, f) && stands(joint, f - 1);
          pen.globalAlpha = (1 - (last - f) / length) * (isPlanted ? 0.95 : 0.5);
          pen.lineWidth = isPlanted ? 4 : 1.25;
          const [from, to] = [project(at(points, f - 1, joint)), project(at(points, f, joint))];
          pen.beginPath();
          // What stands still is a dot; a line of no length would not be drawn.
          if (Math.hypot(to[0] - from[0], to[1] - from[1]) < 0.05) pen.arc(...to, pen.lineWidth / 4, 0, 2 * Math.PI);
          pen.moveTo(...from);
          pen.lineTo(...to);
          pen.stroke();
        }
      }
      pen.globalAlpha = 1;
    };

    // What the hips hang on, such as the origin of a scene, is no part of the body.
    const above = new Set();
    for (let joint = data.parents[data.root]; joint >= 0; joint = data.parents[joint]) above.add(joint);
    const bones = [...data.parents.entries()].filter(([, parent]) => parent >= 0 && !above.has(parent));

    const figure = (pen, project, points, frame, zoom, own, look) => {
      const world = data.parents.map((_, joint) => at(points, frame, joint));
      const screen = world.map(project);
      // A soft shadow on the floor.
      pen.globalAlpha = 0.16;
      pen.strokeStyle = look.quiet;
      pen.lineCap = "round";
      for (const [joint, parent] of bones) {
        pen.lineWidth = Math.max(1, zoom * 0.03);
        pen.beginPath();
        pen.moveTo(...project([world[parent][0], world[parent][1], 0]));
        pen.lineTo(...project([world[joint][0], world[joint][1], 0]));
        pen.stroke();
      }
      pen.globalAlpha = 1;
      pen.lineWidth = 1.25;
      pen.lineJoin = "round";
      for (const [joint, parent] of bones) {
        const long = Math.hypot(...world[joint].map((v, k) => v - world[parent][k]));
        const wide = zoom * Math.min(0.034, 0.1 * long);
        bone(pen, screen[parent], screen[joint], wide, wide * 0.55, own);
      }
      if (data.head !== undefined) {
        const radius = 0.1 * zoom;
        const [neck, head] = [screen[Math.max(0, data.parents[data.head])], screen[data.head]];
        const long = Math.hypot(head[0] - neck[0], head[1] - neck[1]) || 1;
        pen.fillStyle = own.fill;
        pen.strokeStyle = own.edge;
        pen.beginPath();
        pen.arc(head[0] + ((head[0] - neck[0]) / long) * radius, head[1] + ((head[1] - neck[1]) / long) * radius, radius, 0, 2 * Math.PI);
        pen.fill();
        pen.stroke();
      }
      for (const foot of data.feet) {
        pen.fillStyle = stands(foot, Math.round(frame)) ? own.edge : look.paper;
        pen.strokeStyle = own.edge;
        pen.beginPath();
        pen.arc(...screen[foot], 4, 0, 2 * Math.PI);
        pen.fill();
        pen.stroke();
      }
    };

    const bone = (pen, from, to, wide, thin, own) => {
      const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
      const long = Math.hypot(dx, dy);
      const angle = Math.atan2(dy, dx);
      pen.fillStyle = own.fill;
      pen.strokeStyle = own.edge;
      pen.beginPath();
      if (long > 0.5) {
        pen.arc(...from, wide, angle + Math.PI / 2, angle - Math.PI / 2);
        pen.arc(...to, thin, angle - Math.PI / 2, angle + Math.PI / 2);
        pen.closePath();
      } else {
        pen.arc(...from, wide, 0, 2 * Math.PI);
      }
      pen.fill();
      pen.stroke();
    };

    transport(host, data, n, duration, state, draw);
    for (const canvas of panes) orbit(canvas, view, draw);
    let before = 0;
    let isRunning = false;
    const tick = (now) => {
      // A figure that is not shown is not played.
      if (!host.checkVisibility()) {
        isRunning = false;
        return;
      }
      if (state.isPlaying && duration > 0) {
        state.time += Math.min(0.1, (now - before) / 1000) * state.speed;
        if (state.time > duration) state.time %= duration;
        draw();
      }
      before = now;
      requestAnimationFrame(tick);
    };
    new ResizeObserver(draw).observe(host);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    return () => {
      if (isRunning) return;
      isRunning = true;
      before = performance.now();
      draw();
      requestAnimationFrame(tick);
    };
  };

  const orbit = (canvas, view, draw) => {
    let grip = null;
    canvas.addEventListener("pointerdown", (event) => {
      grip = [event.clientX, event.clientY, view.azimuth, view.elevation];
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!grip) return;
      view.azimuth = grip[2] - (event.clientX - grip[0]) * 0.01;
      view.elevation = Math.min(1.5, Math.max(0, grip[3] + (event.clientY - grip[1]) * 0.01));
      draw();
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { grip = null; });
  };

  const PLAY = '<svg viewBox="0 0 16 16" class="icon" aria-hidden="true"><path d="M5 3.5v9l7.5-4.5z"/></svg>';
  const PAUSE = '<svg viewBox="0 0 16 16" class="icon" aria-hidden="true"><path d="M5.5 3.5v9M10.5 3.5v9"/></svg>';

  const transport = (host, data, n, duration, state, draw) => {
    const bar = host.querySelector(".transport");
    bar.hidden = false;
    const button = (label, text, act) => {
      const made = document.createElement("button");
      made.type = "button";
      made.title = label;
      made.setAttribute("aria-label", label);
      made.innerHTML = text;
      made.addEventListener("click", () => act(made));
      bar.append(made);
      return made;
    };
    const toggle = button("Play or pause", state.isPlaying ? PAUSE : PLAY, () => {
      state.isPlaying = !state.isPlaying;
      toggle.innerHTML = state.isPlaying ? PAUSE : PLAY;
    });
    const speeds = [1, 0.5, 0.25];
    button("Speed", "1×", (made) => {
      state.speed = speeds[(speeds.indexOf(state.speed) + 1) % speeds.length];
      made.textContent = { 1: "1×", 0.5: "½×", 0.25: "¼×" }[state.speed];
    }).classList.add("wide");
    const scrub = document.createElement("div");
    scrub.className = "scrub";
    scrub.tabIndex = 0;
    const attributes = { role: "slider", "aria-label": "Time", "aria-valuemin": 0, "aria-valuemax": duration.toFixed(2) };
    for (const [name, value] of Object.entries(attributes)) scrub.setAttribute(name, value);
    const rows = data.feet.length;
    const bars = data.plants.map(([joint, from, to]) => {
      // Heels share the row of their foot's ball: what matters is when the foot stands.
      const row = Math.max(0, data.feet.indexOf(joint));
      const isBall = data.feet.includes(joint);
      const high = 24 / rows;
      const last = Math.max(1, n - 1);
      return isBall ? `<rect class="bar" x="${from / last}" y="${(4 + row * high) / 32}" width="${Math.max(0.002, (to - from) / last)}" height="${(high - 3) / 32}"/>` : "";
    });
    scrub.innerHTML = `<svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true"><path class="rail" d="M0 .97H1"/>${bars.join("")}</svg><div class="head"></div>`;
    bar.append(scrub);
    const clock = document.createElement("span");
    clock.className = "clock";
    bar.append(clock);
    const seek = (time) => {
      state.time = Math.min(duration, Math.max(0, time));
      draw();
    };
    const pick = (event) => {
      const box = scrub.getBoundingClientRect();
      seek(((event.clientX - box.left) / box.width) * duration);
    };
    scrub.addEventListener("pointerdown", (event) => {
      scrub.setPointerCapture(event.pointerId);
      pick(event);
    });
    scrub.addEventListener("pointermove", (event) => { if (event.buttons) pick(event); });
    scrub.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1, PageUp: data.fps, PageDown: -data.fps, Home: -n, End: n };
      if (event.key === " ") toggle.click();
      else if (event.key in steps) seek(state.time + steps[event.key] / data.fps);
      else return;
      event.preventDefault();
    });
    host.addEventListener("shown", () => {
      scrub.querySelector(".head").style.left = `${duration > 0 ? (100 * state.time) / duration : 0}%`;
      clock.textContent = `${(data.start + state.time).toFixed(2)} s`;
      scrub.setAttribute("aria-valuenow", state.time.toFixed(2));
    });
  };

  // A figure is set up when it is first shown.
  const players = new Map();
  const play = (part) => {
    for (const host of part.querySelectorAll("[data-play]")) {
      if (!players.has(host)) players.set(host, setup(host));
      players.get(host)?.();
    }
  };

  const motions = [...document.querySelectorAll(".motion")];
  const links = [...document.querySelectorAll(".index a")];
  // Of several motions one is shown: the one that the address names, else the first.
  const show = () => {
    const shown = motions.find((motion) => `#${motion.id}` === location.hash) ?? motions[0];
    for (const motion of motions) motion.hidden = motion !== shown;
    for (const link of links) {
      if (link.hash === `#${shown.id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    play(shown);
  };
  if (motions.length > 0) {
    addEventListener("hashchange", () => {
      show();
      document.querySelector(".motion:not([hidden])").scrollIntoView();
    });
    show();
  } else {
    play(document);
  }
})();
