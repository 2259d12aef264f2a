"""A person at a joystick in front of a mobile base: plays buttons and sticks, and prints what the robot does as JSON lines."""
import json
import sys
import time

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rein.msg import Event
from rein.srv import Mark
from sensor_msgs.msg import Joy
from std_srvs.srv import Trigger

ENABLE = 4  # of an Xbox pad


class Hand(Node):
    def __init__(self):
        super().__init__('hand')
        self.joy = self.create_publisher(Joy, 'joy', 10)
        self.command = Twist()
        self.fastest = 0.0
        self.odom = Odometry()
        self.create_subscription(Twist, 'cmd_vel', self.on_command, 10)
        self.create_subscription(Odometry, 'odom', self.on_odometry, 10)
        self.create_subscription(Event, '/rein/events', self.on_event, 50)

    def on_command(self, message):
        self.command = message
        self.fastest = max(self.fastest, abs(message.linear.x))

    def on_odometry(self, message):
        self.odom = message

    def on_event(self, message):
        say({'event': message.name, 'row': message.row})

    def play(self, seconds, buttons=(), forward=0.0):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            message = Joy(axes=[0.0, forward] + [0.0] * 6, buttons=[int(i in buttons) for i in range(11)])
            self.joy.publish(message)
            self.listen(0.02)

    def listen(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            rclpy.spin_once(self, timeout_sec=0.005)

    def call(self, name, kind=Trigger, **fields):
        client = self.create_client(kind, name)
        if not client.wait_for_service(timeout_sec=20.0):
            raise SystemExit(f'nobody serves {name}')
        future = client.call_async(kind.Request(**fields))
        while not future.done():
            # The hand stays at the joystick meanwhile.
            self.play(0.02)
        return future.result()

    def go_on(self):
        """Resets until the robot holds without faults, and lets episodes run."""
        for _ in range(40):
            if self.call('/rein/reset').success and self.call('/rein/resume').success:
                return
            self.play(0.5)
        raise SystemExit('the robot does not go on')

    def take_over(self):
        self.play(0.3)
        self.play(0.4, [ENABLE])

    def show(self, what):
        linear = self.odom.twist.twist.linear.x
        say({'what': what, 'command': self.command.linear.x, 'odom': linear, 'x': self.odom.pose.pose.position.x})


def say(line):
    print(json.dumps(line), flush=True)


def main():
    rclpy.init()
    hand = Hand()
    hand.play(1.0)
    hand.go_on()
    hand.play(1.0, [], 1.0)
    hand.show('pushed without the button')
    hand.take_over()
    hand.play(2.0, [ENABLE], 1.0)
    hand.show('pushed')
    hand.play(2.0, [], 1.0)
    hand.show('let go of the button')
    answer = hand.call('/rein/mark', Mark, mark=Mark.Request.SUCCESS)
    say({'marked': answer.success})
    hand.play(1.0)
    hand.take_over()
    hand.play(1.0, [ENABLE], 1.0)
    hand.show('pushed again')
    hand.listen(2.0)
    hand.show('gone')
    hand.take_over()
    hand.play(1.0, [ENABLE], 1.0)
    hand.show('back and pushing')
    hand.go_on()
    hand.take_over()
    hand.play(1.5, [ENABLE], 1.0)
    hand.show('after reset and resume')
    hand.play(0.5)
    say({'fastest': hand.fastest})
    return 0


sys.exit(main())
