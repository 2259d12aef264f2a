"""The joystick: joy_node, with the rate and the dead zone that Rein's lease needs.

    ros2 launch rein teleop.launch.py namespace:=arm1

Which stick moves what is a matter of the robot's node: pad:= and operator:=joy of robot.launch.py.
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue


def generate_launch_description():
    def parameter(name, value_type):
        return ParameterValue(LaunchConfiguration(name), value_type=value_type)

    return LaunchDescription([
        DeclareLaunchArgument(
            'device', default_value='0',
            description='Number of the joystick, as `ros2 run joy joy_enumerate_devices` lists it.'),
        DeclareLaunchArgument(
            'device_name', default_value='',
            description='Name of the joystick in that list, for machines with several. Empty: by number.'),
        DeclareLaunchArgument(
            'deadzone', default_value='0.05',
            description='Share of a stick\'s way around its middle that reads 0, 0 to 0.5.'),
        DeclareLaunchArgument(
            'autorepeat_rate', default_value='50.0',
            description='Messages per second of a stick that is held still, Hz. Below 20 Hz every held stick counts as '
                        'a lost joystick, and the robot stops.'),
        DeclareLaunchArgument(
            'namespace', default_value='',
            description='Namespace of the robot to move: its node listens to `joy` there.'),
        Node(
            package='joy',
            executable='joy_node',
            name='joy_node',
            namespace=LaunchConfiguration('namespace'),
            parameters=[{
                'device_id': parameter('device', int),
                'device_name': parameter('device_name', str),
                'deadzone': parameter('deadzone', float),
                'autorepeat_rate': parameter('autorepeat_rate', float),
                # A button counts while it is held: a sticky enabling button would be none.
                'sticky_buttons': False,
            }],
            output='screen',
            sigterm_timeout='2',
            sigkill_timeout='2',
        ),
    ])
