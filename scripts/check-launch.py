"""Checks the launch files without ROS: python3 scripts/check-launch.py [FILE…]

Reads each file as Python, runs its generate_launch_description() against a small stand-in for launch, with every pair
of values that its arguments can take, and says what is missing: a description, choices where only some words are
allowed, a use of an argument, a time limit of a process. `--json` prints arguments and parameters instead.
"""

import ast
import importlib.util
import itertools
import json
import os
from pathlib import Path
import re
import sys

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'python'))

import launch_stub  # noqa: E402

BOOLEAN = ['true', 'false']
# Arguments that take one of a few words, whatever their default.
CLOSED = {'operator', 'pad', 'controller', 'log_level'}
# Nothing may move, or come back moving, unless somebody asked for it.
OFF_BY_DEFAULT = {'autostart', 'respawn'}


class Check:
    """One launch file, and what is wrong with it."""

    def __init__(self, path, executables):
        self.path = path
        self.executables = executables
        self.problems = []
        self.arguments = []
        self.parameters = {}

    def run(self):
        try:
            tree = ast.parse(self.path.read_text(encoding='utf-8'), str(self.path))
        except SyntaxError as error:
            self.problem(f'line {error.lineno}: {error.msg}')
            return
        self.check_docstring(tree)
        try:
            spec = importlib.util.spec_from_file_location(self.path.stem.replace('.', '_'), self.path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            description = module.generate_launch_description()
        except Exception as error:  # Whatever a launch file throws is its own mistake.
            self.problem(f'it does not load: {type(error).__name__}: {error}')
            return
        self.arguments = [one for one in description.entities
                          if isinstance(one, launch_stub.DeclareLaunchArgument)]
        self.check_count(tree)
        for argument in self.arguments:
            self.check_argument(argument)
        if not self.problems:
            self.check_launches(module)

    def problem(self, sentence):
        if sentence not in self.problems:
            self.problems.append(sentence)

    def check_docstring(self, tree):
        text = ast.get_docstring(tree) or ''
        if f'ros2 launch rein {self.path.name}' not in text:
            self.problem(f'its first comment does not show a command `ros2 launch rein {self.path.name}`')

    def check_count(self, tree):
        """An argument declared anywhere but in the list is one that --show-args does not show."""
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)
                 and getattr(node.func, 'id', getattr(node.func, 'attr', '')) == 'DeclareLaunchArgument']
        if len(calls) != len(self.arguments):
            self.problem(f'{len(calls)} arguments are declared, but {len(self.arguments)} stand in the description')
        names = [argument.name for argument in self.arguments]
        for name in sorted({name for name in names if names.count(name) > 1}):
            self.problem(f'{name}: declared twice')

    def check_argument(self, argument):
        name, keywords = argument.name, argument.keywords
        text, default, choices = (keywords.get(key) for key in ('description', 'default_value', 'choices'))
        if not re.fullmatch(r'[a-z][a-z0-9_]*', name):
            self.problem(f'{name}: the name is not in snake_case')
        if not text or len(text) < 20:
            self.problem(f'{name}: no description')
        elif not text.endswith('.'):
            self.problem(f'{name}: the description is no sentence that ends with a full stop')
        if not isinstance(default, str):
            self.problem(f'{name}: no default')
        if default in BOOLEAN and choices != BOOLEAN:
            self.problem(f'{name}: true or false, but choices={BOOLEAN} is missing')
        if name in CLOSED and not choices:
            self.problem(f'{name}: only some words are allowed, but choices are missing')
        if choices and default not in choices:
            self.problem(f'{name}: the default "{default}" is not among the choices')
        if name in OFF_BY_DEFAULT and default != 'false':
            self.problem(f'{name}: must be off by default')

    def check_launches(self, module):
        used = set()
        options = [[(argument.name, value) for value in values_of(argument)] for argument in self.arguments]
        pairs = [pair for two in itertools.combinations(options, 2) for pair in itertools.product(*two)]
        for given in [(), *((one,) for values in options for one in values), *pairs]:
            used |= self.launch(module, dict(given))
        for argument in self.arguments:
            if argument.name not in used:
                self.problem(f'{argument.name}: declared, but never used')

    def launch(self, module, given):
        """Runs the file once with `given` arguments; returns the names of those that it looked at."""
        context = launch_stub.Context(given)
        try:
            launch_stub.visit(module.generate_launch_description(), context)
        except Exception as error:
            self.problem(f'with {given}: {type(error).__name__}: {error}')
        if not context.processes and not context.includes:
            self.problem(f'with {given}: starts nothing')
        for process in context.processes:
            self.check_process(process)
        for path, arguments in context.includes:
            self.check_include(Path(path), arguments)
        for path in context.late_includes:
            self.problem(f'includes {Path(path).name} after a process, which it would leave behind where it fails')
        return context.used

    def check_process(self, process):
        text = process.text
        name = text.get('executable') or text.get('name') or 'process'
        for limit in ('sigterm_timeout', 'sigkill_timeout'):
            if not text.get(limit):
                self.problem(f'{name}: {limit} is not stated')
        if text.get('package') == 'rein' and text['executable'] not in self.executables:
            self.problem(f'{name}: no executable of this package ({", ".join(self.executables)})')
        is_ours = text.get('package') == 'rein' or 'lib/rein/' in str(text.get('cmd'))
        if is_ours and text.get('additional_env', {}).get('REIN_ENDS_WITH') != str(os.getpid()):
            self.problem(f'{name}: nothing ends it where the launch fails (additional_env REIN_ENDS_WITH)')
        for given in text.get('parameters', []):
            if isinstance(given, dict):
                self.parameters.setdefault(name, set()).update(given)

    def check_include(self, path, arguments):
        if not path.is_file():
            self.problem(f'includes {path.name}, which is not there')
            return
        declared = re.findall(r"DeclareLaunchArgument\(\s*'(\w+)'", path.read_text(encoding='utf-8'))
        for name in sorted(set(arguments) - set(declared)):
            self.problem(f'gives {path.name} the argument {name}, which it does not declare')


def values_of(argument):
    """Values to try: all choices, or two of what people write."""
    choices = argument.keywords.get('choices')
    if choices:
        return choices
    if argument.name == 'robot':
        return sorted(path.stem for path in (ROOT / 'config' / 'robots').glob('*.yaml')) + ['own/robot.yaml']
    if argument.name.endswith('_file'):
        return ['', str(ROOT / 'package.xml')]
    return ['', '1'] if argument.keywords.get('default_value') == '' else ['1']


def installed_executables():
    """Names that ros/install.cmake gives the wrapper."""
    text = (ROOT / 'ros' / 'install.cmake').read_text(encoding='utf-8')
    return re.search(r'foreach\(executable ([\w ]+)\)', text).group(1).split()


def main(arguments):
    launch_stub.install()
    as_json = '--json' in arguments
    paths = [Path(one) for one in arguments if one != '--json'] or sorted((ROOT / 'launch').glob('*.launch.py'))
    executables = installed_executables()
    checks = [Check(path, executables) for path in paths]
    for check in checks:
        check.run()
    if as_json:
        print(json.dumps({check.path.name: {
            'arguments': {one.name: one.keywords.get('choices') for one in check.arguments},
            'parameters': {name: sorted(given) for name, given in check.parameters.items()},
        } for check in checks}, indent=2))
    else:
        for check in checks:
            print(f'{"FAILED" if check.problems else "ok"}  {check.path.name}: {len(check.arguments)} arguments')
            for sentence in check.problems:
                print(f'    {sentence}')
    return 1 if not checks or any(check.problems for check in checks) else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
