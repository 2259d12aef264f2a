"""The learner: takes transitions from robots and gives them weights. Needs no ROS; this only starts it.

    ros2 launch rein learner.launch.py task:=insert

It listens on this machine only; a robot elsewhere comes through a tunnel (ssh -L).
"""

import os

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import ExecutableInPackage

# Arguments that are options of `rein learn` under the same name.
OPTIONS = ['task', 'bind', 'resume', 'config', 'out', 'seed']


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument(
            'task', default_value='',
            description='Name of a file in config/tasks/, or a path ending in .yaml. Empty: insert.'),
        DeclareLaunchArgument(
            'bind', default_value='',
            description='Loopback address to listen at, tcp://host:port. Empty: tcp://127.0.0.1:7350.'),
        DeclareLaunchArgument(
            'resume', default_value='',
            description='Run folder to continue; then without task, config, out and seed. Empty: a new run.'),
        DeclareLaunchArgument(
            'config', default_value='',
            description='YAML file laid over task, robot and learner; see docs/config.md. Empty: none.'),
        DeclareLaunchArgument(
            'out', default_value='',
            description='Folder of the run. Empty: a new one below runs/ of the folder that launch was started in.'),
        DeclareLaunchArgument(
            'seed', default_value='',
            description='Seed of every random number, a whole number. Empty: 0.'),
        OpaqueFunction(function=start),
    ])


def start(context):
    """Makes the process, with the options that were given."""
    options = []
    for name in OPTIONS:
        value = LaunchConfiguration(name).perform(context)
        if value:
            options += [f'--{name}', value]
    return [ExecuteProcess(
        cmd=[ExecutableInPackage(package='rein', executable='rein'), 'learn', *options],
        name='rein_learner',
        output='screen',
        # A launch that fails leaves behind what it has started.
        additional_env={'REIN_ENDS_WITH': str(os.getpid())},
        # It writes a checkpoint before it ends.
        sigterm_timeout='10',
        sigkill_timeout='5',
    )]
