module.exports = { forbidden: [], options: {} };
