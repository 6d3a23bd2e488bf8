// anywidget gives up a model that is not ready after two seconds, for good; plotly's script is five megabytes, which a
// busy machine reads for longer. So the model is ready at once, and what the kernel says meanwhile is said again after.
export default () => {
  let read;
  return {
    initialize({ model, ...given }) {
      const said = [];
      const named = model.get("_synced").map((name) => [name, `change:${name}`]);
      const heard = named.map(([name, event]) => [event, () => model.get(name) && said.push([name, model.get(name)])]);
      heard.forEach(([event, note]) => model.on(event, note));
      const address = URL.createObjectURL(new Blob([model.get("_script")], { type: "text/javascript" }));
      read = import(address).then(async (script) => {
        URL.revokeObjectURL(address);
        const figure = script.default();
        heard.forEach(([event, note]) => model.off(event, note));
        await figure.initialize({ model, ...given });
        for (const [name, value] of said) {
          model.set(name, value);
          model.set(name, null);
        }
        return figure;
      });
    },
    async render(given) {
      return (await read).render(given);
    },
  };
};
