// JupyterLab takes arrow keys, Enter and letters for itself wherever a notebook is in command mode, lists and buttons of
// widgets included. Keys inside a widget stay there, except with Ctrl, Alt or Meta (saving, for one).
export default {
  render({ el }) {
    const keep = (event) => {
      const root = el.closest(".ra");
      if (!root || !root.contains(event.target)) return;
      const ours = !event.ctrlKey && !event.metaKey && !event.altKey;
      event.target.toggleAttribute("data-lm-suppress-shortcuts", ours);
    };
    window.addEventListener("keydown", keep, true);
    return () => window.removeEventListener("keydown", keep, true);
  },
};
