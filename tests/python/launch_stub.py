"""A stand-in for `launch` and `launch_ros`, small and strict, so that launch files can be run where no ROS 2 is.

It knows only what Rein's launch files use: an unknown name or keyword is an error, as a typing mistake would be. Nothing
is started. `visit` walks through what a launch file made, as launch would, and a `Context` notes what it met.
"""

import sys
from types import ModuleType


class LaunchFileError(Exception):
    """Something that launch itself would refuse."""


class Context:
    """The arguments of one launch, and what came of them."""

    def __init__(self, given):
        self.values = dict(given)
        self.used = set()
        self.processes = []
        self.includes = []
        # Files that are included once a process was started.
        self.late_includes = []
        self.is_shutdown = False


def visit(entity, context):
    """Does what launch does with an entity: checks its condition, runs it, and goes on with what it gives."""
    if entity is None:
        return
    if isinstance(entity, (list, tuple)):
        for one in entity:
            visit(one, context)
        return
    if not isinstance(entity, Entity):
        raise LaunchFileError(f'{entity!r} is nothing that launch can start')
    condition = entity.keywords.get('condition')
    if condition is None or condition.is_met(context):
        entity.run(context)


def perform(value, context):
    """The text of substitutions, wherever they are in `value`."""
    if isinstance(value, Substitution):
        return value.perform(context)
    if isinstance(value, dict):
        return {perform(key, context): perform(one, context) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [perform(one, context) for one in value]
    return value


class Entity:
    """An action with keywords, of those that `allowed` names."""

    allowed = ()

    def __init__(self, **keywords):
        unknown = sorted(set(keywords) - set(self.allowed) - {'condition'})
        if unknown:
            raise LaunchFileError(f'{type(self).__name__} has no keyword {", ".join(unknown)}')
        self.keywords = keywords

    def run(self, context):
        for value in self.keywords.values():
            perform(value, context)


class LaunchDescription(Entity):
    def __init__(self, entities=()):
        super().__init__()
        self.entities = list(entities)

    def run(self, context):
        visit(self.entities, context)


class DeclareLaunchArgument(Entity):
    allowed = ('default_value', 'description', 'choices')

    def __init__(self, name, **keywords):
        super().__init__(**keywords)
        self.name = name

    def run(self, context):
        if self.name not in context.values:
            if self.keywords.get('default_value') is None:
                raise LaunchFileError(f'argument {self.name} was not given and has no default')
            context.values[self.name] = perform(self.keywords['default_value'], context)
        choices = self.keywords.get('choices')
        if choices is not None and context.values[self.name] not in choices:
            raise LaunchFileError(f'argument {self.name} is "{context.values[self.name]}", not one of {choices}')


class OpaqueFunction(Entity):
    allowed = ('function', 'args', 'kwargs')

    def run(self, context):
        function = self.keywords['function']
        visit(function(context, *self.keywords.get('args', ()), **self.keywords.get('kwargs', {})), context)


class IncludeLaunchDescription(Entity):
    allowed = ('launch_arguments',)

    def __init__(self, source, **keywords):
        super().__init__(**keywords)
        self.source = source

    def run(self, context):
        arguments = dict(self.keywords.get('launch_arguments', ()))
        path = perform(self.source.path, context)
        context.includes.append((path, perform(arguments, context)))
        if context.processes:
            context.late_includes.append(path)


class LogInfo(Entity):
    allowed = ('msg',)


class Shutdown(Entity):
    allowed = ('reason',)


class EmitEvent(Entity):
    allowed = ('event',)


class TimerAction(Entity):
    allowed = ('period', 'actions')

    def run(self, context):
        visit(self.keywords.get('actions'), context)


class RegisterEventHandler(Entity):
    def __init__(self, handler, **keywords):
        super().__init__(**keywords)
        self.handler = handler

    def run(self, context):
        for name in ('on_start', 'on_exit', 'entities'):
            visit(self.handler.keywords.get(name), context)


class Process(Entity):
    """Something that becomes a process. `text` holds its keywords with all substitutions performed."""

    allowed = ('name', 'output', 'respawn', 'respawn_delay', 'sigterm_timeout', 'sigkill_timeout', 'emulate_tty',
               'additional_env', 'on_exit')
    required = ()

    def run(self, context):
        missing = [name for name in self.required if not self.keywords.get(name) and self.keywords.get(name) != '']
        if missing:
            raise LaunchFileError(f'{type(self).__name__} needs {", ".join(missing)}')
        # Event handlers point back to the process: only text is of interest.
        self.text = {name: perform(value, context) for name, value in self.keywords.items() if name != 'on_exit'}
        context.processes.append(self)
        on_exit = self.keywords.get('on_exit')
        if on_exit == []:
            raise LaunchFileError('on_exit is an empty list, at which the launch of Humble fails when the process ends')
        visit(on_exit(None, context) if callable(on_exit) else on_exit, context)


class ExecuteProcess(Process):
    allowed = (*Process.allowed, 'cmd', 'cwd', 'shell')
    required = ('cmd',)


class Node(Process):
    allowed = (*Process.allowed, 'package', 'executable', 'namespace', 'parameters', 'remappings', 'arguments',
               'ros_arguments')
    required = ('package', 'executable')


class LifecycleNode(Node):
    required = (*Node.required, 'name', 'namespace')


class Handler(Entity):
    allowed = ('target_action', 'target_lifecycle_node', 'on_start', 'on_exit', 'start_state', 'goal_state', 'entities',
               'handle_once')


class OnProcessStart(Handler):
    pass


class OnProcessExit(Handler):
    pass


class OnStateTransition(Handler):
    pass


class ChangeState(Entity):
    allowed = ('lifecycle_node_matcher', 'transition_id')


class Substitution:
    pass


class LaunchConfiguration(Substitution):
    def __init__(self, name):
        self.name = name

    def perform(self, context):
        context.used.add(self.name)
        if self.name not in context.values:
            raise LaunchFileError(f'LaunchConfiguration("{self.name}") is of an argument that is not declared')
        return context.values[self.name]


class ExecutableInPackage(Substitution):
    def __init__(self, executable, package):
        self.executable = executable
        self.package = package

    def perform(self, context):
        return f'lib/{self.package}/{self.executable}'


class ParameterValue(Substitution):
    def __init__(self, value, *, value_type=None):
        self.value = value
        self.value_type = value_type

    def perform(self, context):
        text = perform(self.value, context)
        try:
            return text if self.value_type is None else self.value_type(text)
        except ValueError:
            raise LaunchFileError(f'"{text}" is no {self.value_type.__name__}') from None


class IfCondition:
    def __init__(self, expression):
        self.expression = expression

    def is_met(self, context):
        text = perform(self.expression, context).lower()
        if text not in ('true', 'false', '1', '0'):
            raise LaunchFileError(f'a condition is true or false, not "{text}"')
        return text in ('true', '1')


class PythonLaunchDescriptionSource:
    def __init__(self, path):
        self.path = path


class Transition:
    """The numbers of lifecycle_msgs/msg/Transition."""

    TRANSITION_CONFIGURE = 1
    TRANSITION_CLEANUP = 2
    TRANSITION_ACTIVATE = 3
    TRANSITION_DEACTIVATE = 4


def matches_action(action):
    return lambda other: other is action


def safe_load(text):
    """YAML of the kind that a robot's or a task's file begins with: `key: word`, and words one level below a key."""
    content = {}
    section = content
    for line in text.splitlines():
        key, colon, value = line.split('#')[0].rstrip().partition(':')
        if not colon or key.lstrip().startswith('-'):
            continue
        level = section if key.startswith(' ') else content
        if value.strip() == '':
            section = content[key] = {}
        elif isinstance(level, dict):
            level[key.strip()] = value.strip()
    return content


MODULES = {
    'launch': {'LaunchDescription': LaunchDescription},
    'launch.actions': {one.__name__: one for one in (
        DeclareLaunchArgument, EmitEvent, ExecuteProcess, IncludeLaunchDescription, LogInfo, OpaqueFunction,
        RegisterEventHandler, Shutdown, TimerAction)},
    'launch.conditions': {'IfCondition': IfCondition},
    'launch.event_handlers': {'OnProcessExit': OnProcessExit, 'OnProcessStart': OnProcessStart},
    'launch.events': {'matches_action': matches_action},
    'launch.launch_description_sources': {'PythonLaunchDescriptionSource': PythonLaunchDescriptionSource},
    'launch.substitutions': {'LaunchConfiguration': LaunchConfiguration},
    'launch_ros': {},
    'launch_ros.actions': {'LifecycleNode': LifecycleNode, 'Node': Node},
    'launch_ros.event_handlers': {'OnStateTransition': OnStateTransition},
    'launch_ros.events': {},
    'launch_ros.events.lifecycle': {'ChangeState': ChangeState},
    'launch_ros.parameter_descriptions': {'ParameterValue': ParameterValue},
    'launch_ros.substitutions': {'ExecutableInPackage': ExecutableInPackage},
    'lifecycle_msgs': {},
    'lifecycle_msgs.msg': {'Transition': Transition},
    'yaml': {'safe_load': safe_load},
}


def install():
    """Puts the stand-ins in the place of the real modules, which are not looked at even where they exist."""
    for name, content in MODULES.items():
        module = ModuleType(name)
        module.__dict__.update(content)
        sys.modules[name] = module
        parent, _, last = name.rpartition('.')
        if parent:
            setattr(sys.modules[parent], last, module)
