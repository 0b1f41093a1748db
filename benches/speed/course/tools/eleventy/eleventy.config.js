const highlight = require("@11ty/eleventy-plugin-syntaxhighlight");

module.exports = (config) => {
    config.addPlugin(highlight);
};
