"""A simulated robot behind the topics of plain ROS controllers, for trying everything without hardware.

    ros2 launch rein sim.launch.py controller:=joint_trajectory

robot.launch.py sim:=true starts it together with the node.
"""

import os
from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

# Arguments that are parameters of the executable under the same name. What is not given is not passed on.
TEXT_PARAMETERS = ['robot', 'task', 'config', 'controller']
CONTROLLERS = ['joint_trajectory', 'position', 'velocity', 'effort', 'pose', 'differential', 'omni', 'ackermann']


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument(
            'robot', default_value='',
            description='Name of a file in config/robots/, or a path ending in .yaml. Empty: the robot of the task.'),
        DeclareLaunchArgument(
            'task', default_value='',
            description='Name of a file in config/tasks/, or a path ending in .yaml: its scene. Empty: that of '
                        'the node.'),
        DeclareLaunchArgument(
            'config', default_value='',
            description='YAML file laid over task and robot; see docs/config.md. Empty: none.'),
        DeclareLaunchArgument(
            'controller', default_value='', choices=['', *CONTROLLERS],
            description='Controller that it plays. Empty: the one that the robot\'s file names.'),
        DeclareLaunchArgument(
            'rate', default_value='',
            description='States published per second, Hz. Empty: the rate of the control tick.'),
        DeclareLaunchArgument(
            'namespace', default_value='',
            description='Namespace of the robot: that of its node.'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='false', choices=['true', 'false'],
            description='Whether to publish /clock for nodes that take their time from it.'),
        DeclareLaunchArgument(
            'params_file', default_value='',
            description='YAML file with further parameters: `ros2 run rein sim --help` lists them. Empty: none.'),
        DeclareLaunchArgument(
            'log_level', default_value='info', choices=['debug', 'info', 'warn', 'error', 'fatal'],
            description='Least severe messages to print.'),
        OpaqueFunction(function=start),
    ])


def start(context):
    """Makes the process, with the parameters that were given."""
    def value(name):
        return LaunchConfiguration(name).perform(context)

    # As text: launch would make a number of the name 7.
    parameters = {name: ParameterValue(value(name), value_type=str) for name in TEXT_PARAMETERS if value(name)}
    if value('rate'):
        parameters['rate'] = number('rate', value('rate'), float)
    if value('use_sim_time') == 'true':
        parameters['publish_clock'] = True

    return [Node(
        package='rein',
        executable='sim',
        name='rein_sim',
        namespace=value('namespace'),
        parameters=[given for given in (existing_file('params_file', value('params_file')), parameters) if given],
        ros_arguments=['--log-level', value('log_level')],
        output='screen',
        # A launch that fails leaves behind what it has started.
        additional_env={'REIN_ENDS_WITH': str(os.getpid())},
        sigterm_timeout='2',
        sigkill_timeout='2',
    )]


def number(name, text, read):
    """Reads a number; launch prints the sentence when it is none."""
    try:
        return read(text)
    except ValueError:
        raise RuntimeError(f'{name} must be a number, not "{text}".') from None


def existing_file(name, path):
    """Gives the path back; launch alone would go on without a file that is not there."""
    if path and not Path(path).is_file():
        raise RuntimeError(f'{name}: there is no file {path}.')
    return path
