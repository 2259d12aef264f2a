"""One robot: its node and, started by it, the guard that owns the motors.

    ros2 launch rein robot.launch.py task:=insert learner:=tcp://127.0.0.1:7350 operator:=scripted

The node is configured at once and stays inactive: `ros2 lifecycle set /rein activate`, or autostart:=true, makes it
active. An active node holds the robot still until an episode is asked for (~/start_episode, ~/resume, ~/run_episode).
Several robots: one launch each, with its own namespace.
"""

import os
from pathlib import Path

from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
    TimerAction,
)
from launch.conditions import IfCondition
from launch.event_handlers import OnProcessStart
from launch.events import matches_action
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode
from launch_ros.event_handlers import OnStateTransition
from launch_ros.events.lifecycle import ChangeState
from launch_ros.parameter_descriptions import ParameterValue
from lifecycle_msgs.msg import Transition
import yaml

HERE = Path(__file__).parent
BOOLEAN = ['true', 'false']
# More than a guard takes to open a robot on a busy machine.
AUTOSTART_S = 30.0

# Arguments that are parameters of the node under the same name. What is not given is not passed on, so that
# params_file and the node's own defaults count.
TEXT_PARAMETERS = ['robot', 'task', 'learner', 'policy', 'operator', 'pad', 'speed_mode', 'config', 'out',
                   'monitor', 'monitor_token', 'monitor_cert', 'monitor_key']


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument(
            'robot', default_value='',
            description='Name of a file in config/robots/, or a path ending in .yaml. Empty: the robot of the task.'),
        DeclareLaunchArgument(
            'task', default_value='',
            description='Name of a file in config/tasks/, or a path ending in .yaml. Empty: insert, or one that '
                        'people judge where the robot is not in its scene.'),
        DeclareLaunchArgument(
            'learner', default_value='',
            description='Address of the learner, tcp://host:port. Empty: nothing is sent and nothing learned.'),
        DeclareLaunchArgument(
            'policy', default_value='',
            description='Policy to start with: an ONNX file with its manifest beside it. Empty: the learner sends one.'),
        DeclareLaunchArgument(
            'operator', default_value='', choices=['', 'none', 'scripted', 'joy', 'twist'],
            description='Operator that may take over: joy listens to `joy`, twist to ~/teleop. Empty: none, or '
                        'joy with teleop:=true.'),
        DeclareLaunchArgument(
            'pad', default_value='', choices=['', 'xbox', 'playstation', 'logitechD', 'stick'],
            description='Type of the joystick, which tells its sticks and buttons apart. Empty: xbox.'),
        DeclareLaunchArgument(
            'speed_mode', default_value='', choices=['', 'full', 'reduced'],
            description='reduced: no point of an arm is moved faster than 0.25 m/s, or reducedSpeedMPerS of its file. '
                        'Empty: full, or reduced where there is no policy and no learner.'),
        DeclareLaunchArgument(
            'teleop', default_value='false', choices=BOOLEAN,
            description='Whether to start joy_node too, in the same namespace (teleop.launch.py).'),
        DeclareLaunchArgument(
            'sim', default_value='false', choices=BOOLEAN,
            description='Whether to start the simulated robot in place of the hardware, where the robot is behind ROS '
                        'topics (sim.launch.py). Other simulated robots are part of the guard.'),
        DeclareLaunchArgument(
            'config', default_value='',
            description='YAML file laid over task, robot and learner; see docs/config.md. Empty: none.'),
        DeclareLaunchArgument(
            'out', default_value='',
            description='Folder of the run. Empty: a new one below runs/ of the folder that launch was started in.'),
        DeclareLaunchArgument(
            'monitor', default_value='',
            description='Address of the page for browsers: port, host:port, or none. Empty: this machine only, '
                        'port 7400 or the next that is free.'),
        DeclareLaunchArgument(
            'monitor_token', default_value='',
            description='A file with the token that a page needs; a second one in it only watches. Empty: none.'),
        DeclareLaunchArgument(
            'monitor_cert', default_value='',
            description='Certificate (PEM) of the page, for other addresses than this machine. Empty: none.'),
        DeclareLaunchArgument(
            'monitor_key', default_value='',
            description='The key (PEM) of that certificate. Empty: none.'),
        DeclareLaunchArgument(
            'seed', default_value='',
            description='Seed of every random number, a whole number. Empty: 0.'),
        DeclareLaunchArgument(
            'robot_id', default_value='',
            description='Name of this robot at the learner. Empty: made from the namespace, or robot1 without one.'),
        DeclareLaunchArgument(
            'namespace', default_value='',
            description='Namespace of the node and its topics, such as arm1: several robots differ by it.'),
        DeclareLaunchArgument(
            'autostart', default_value='false', choices=BOOLEAN,
            description='Whether to activate the node once it is configured. It holds still all the same.'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='false', choices=BOOLEAN,
            description='Whether time comes from /clock.'),
        DeclareLaunchArgument(
            'log_level', default_value='info', choices=['debug', 'info', 'warn', 'error', 'fatal'],
            description='Least severe messages to print.'),
        DeclareLaunchArgument(
            'params_file', default_value='',
            description='YAML file with parameters, keyed by /** or by the name of the node. Arguments given here count '
                        'more. Empty: none.'),
        DeclareLaunchArgument(
            'respawn', default_value='false', choices=BOOLEAN,
            description='Whether to start the node again 2 s after it died. It comes back inactive and does not move.'),
        DeclareLaunchArgument(
            'required', default_value='true', choices=BOOLEAN,
            description='Whether the launch ends when the node ends and is not started again. Files that include this '
                        'one with false go on without it.'),
        # First: where it cannot be started, nothing of the robot has been.
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(HERE / 'teleop.launch.py')),
            launch_arguments={'namespace': LaunchConfiguration('namespace')}.items(),
            condition=IfCondition(LaunchConfiguration('teleop')),
        ),
        OpaqueFunction(function=start),
    ])


def start(context):
    """Makes what the arguments ask for."""
    def value(name):
        return LaunchConfiguration(name).perform(context)

    def is_true(name):
        return value(name) == 'true'

    parameters = {name: text(value(name)) for name in TEXT_PARAMETERS if value(name)}
    if is_true('teleop'):
        parameters.setdefault('operator', 'joy')
    if value('seed'):
        parameters['seed'] = whole_number('seed', value('seed'))
    robot_id = value('robot_id') or value('namespace').strip('/').replace('/', '-')
    if robot_id:
        parameters['robot_id'] = text(robot_id)
    if is_true('use_sim_time'):
        parameters['use_sim_time'] = True

    is_end = is_true('required') and not is_true('respawn')
    node = ConfiguredNode(
        package='rein',
        executable='node',
        name='rein',
        namespace=value('namespace'),
        parameters=[given for given in (existing_file('params_file', value('params_file')), parameters) if given],
        ros_arguments=['--log-level', value('log_level')],
        output='screen',
        # A launch that fails leaves behind what it has started, which would answer the next one.
        additional_env={'REIN_ENDS_WITH': str(os.getpid())},
        respawn=is_true('respawn'),
        respawn_delay=2.0,
        # Otherwise launch goes on waiting for the services of a node that has ended, e.g. over a mistake in its task.
        on_exit=end_of_launch if is_end else None,
        # The node needs less than 1 s to brake, close its files and end. Nothing is gained by hurrying it.
        sigterm_timeout='5',
        sigkill_timeout='5',
    )
    actions = [configure_when_started(node), say_not_configured(node)]
    if is_true('autostart'):
        actions.append(activate_once_configured(node))
        actions += say_not_active(node)
    if is_true('sim'):
        actions.append(simulation(value))
    return actions + [node]


class ConfiguredNode(LifecycleNode):
    """A lifecycle node that may end before it was configured, e.g. over a mistyped name."""

    def _call_change_state(self, request, context):
        try:
            super()._call_change_state(request, context)
        except Exception as error:
            # InvalidHandle: the launch's own ROS node went first.
            if not context.is_shutdown and type(error).__name__ != 'InvalidHandle':
                raise
            # launch took its own ROS node away while this waited for the service. It ends with code 1, and says why.
            raise RuntimeError('the node ended before it was configured; it says why above') from None


def end_of_launch(_event, context):
    """Ends the launch, where it is not ending already."""
    return [] if context.is_shutdown else [Shutdown(reason='the node has ended')]


def configure_when_started(node):
    """Takes the node to `inactive` whenever its process starts, and no further."""
    return RegisterEventHandler(OnProcessStart(
        target_action=node,
        on_start=[change(node, Transition.TRANSITION_CONFIGURE)],
    ))


def activate_once_configured(node):
    """Takes the node on to `active` the first time: neither after a respawn, nor after somebody deactivated it."""
    return RegisterEventHandler(OnStateTransition(
        target_lifecycle_node=node,
        start_state='configuring',
        goal_state='inactive',
        entities=[change(node, Transition.TRANSITION_ACTIVATE)],
        handle_once=True,
    ))


def say_not_configured(node):
    """The lifecycle says no more than that a transition failed."""
    return RegisterEventHandler(OnStateTransition(
        target_lifecycle_node=node,
        start_state='configuring',
        goal_state='unconfigured',
        entities=[LogInfo(msg='rein could not be configured, and stays unconfigured: it says why above. Then: '
                              'ros2 lifecycle set <its name> configure')],
    ))


def say_not_active(node):
    """Says that autostart could not do what it was asked for, e.g. as another node of this name was asked instead."""
    reached = []

    def note(_context):
        reached.append(True)

    def look(context):
        if reached or context.is_shutdown:
            return None
        return [LogInfo(msg=f'autostart: rein has not become active within {AUTOSTART_S:.0f} s. Look at what it says '
                            'above, and whether another node has its name: ros2 node list')]

    return [
        RegisterEventHandler(OnStateTransition(
            target_lifecycle_node=node,
            goal_state='active',
            entities=[OpaqueFunction(function=note)],
        )),
        TimerAction(period=AUTOSTART_S, actions=[OpaqueFunction(function=look)]),
    ]


def change(node, transition_id):
    """Asks the lifecycle node for a transition."""
    return EmitEvent(event=ChangeState(
        lifecycle_node_matcher=matches_action(node),
        transition_id=transition_id,
    ))


def simulation(value):
    """Starts the simulated robot where Rein meets the robot through ROS topics; elsewhere there is nothing to start."""
    driver = driver_of(value('robot'), value('task'))
    if driver != 'ros':
        return LogInfo(msg=f'sim:=true starts nothing here: the driver of this robot is {driver}, not ros.')
    names = ['robot', 'task', 'config', 'namespace', 'use_sim_time', 'log_level']
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(HERE / 'sim.launch.py')),
        # Arguments of one file are seen by those that it includes: the parameters of the node are none of the robot's.
        launch_arguments={**{name: value(name) for name in names}, 'params_file': ''}.items(),
    )


def driver_of(robot, task):
    """Kind of the robot's driver; `unknown` where a file is missing, which the node then says better."""
    robot = robot or read('tasks', task or 'insert').get('robot', '')
    driver = read('robots', robot).get('driver', {})
    return driver.get('kind', 'unknown') if isinstance(driver, dict) else 'unknown'


def read(folder, name):
    """Content of a YAML file, given by its path or by its name in config/; {} where there is none."""
    path = Path(name) if name.endswith('.yaml') else HERE.parent / 'config' / folder / f'{name}.yaml'
    if not path.is_file():
        return {}
    content = yaml.safe_load(path.read_text(encoding='utf-8'))
    return content if isinstance(content, dict) else {}


def text(value):
    """A parameter that stays text: launch would make a number of the name 7, and a truth value of the name on."""
    return ParameterValue(value, value_type=str)


def whole_number(name, value):
    """Reads a whole number; launch prints the sentence when it is none."""
    if not value.isdecimal():
        raise RuntimeError(f'{name} must be a whole number, not "{value}".')
    return int(value)


def existing_file(name, path):
    """Gives the path back; launch alone would go on without a file that is not there."""
    if path and not Path(path).is_file():
        raise RuntimeError(f'{name}: there is no file {path}.')
    return path
