#!/usr/bin/env python3
"""A robot behind ROS 2 for tests, in rclpy: position commands are where its joints are. Told what to do by lines on standard
input (`silent`, `publish`, `refuse`), it prints `COMMAND monotonic-seconds numbers` for each command.
Arguments: joint names and home positions, as JSON; `latched` asks for commands that are transient local."""
import json, sys, threading, time
import rclpy
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from controller_manager_msgs.msg import ControllerState
from controller_manager_msgs.srv import ListControllers, SwitchController
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

CONTROLLER = "forward_position_controller"


class Robot(Node):
    def __init__(self, names, home, latched):
        super().__init__("robot")
        # In another order than the robot's, as many have them.
        self.joints = names
        self.names = sorted(names)
        self.order = [names.index(name) for name in self.names]
        self.position = list(home)
        self.is_silent = self.refuses = False
        self.state = "inactive"
        self.states = self.create_publisher(JointState, "joint_states", 1)
        durability = DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE
        self.create_subscription(
            Float64MultiArray, CONTROLLER + "/commands", self.command, QoSProfile(depth=10, durability=durability))
        self.create_service(ListControllers, "controller_manager/list_controllers", self.list)
        self.create_service(SwitchController, "controller_manager/switch_controller", self.switch)
        self.create_timer(0.01, self.publish)

    def publish(self):
        if self.is_silent:
            return
        message = JointState(name=self.names, position=[self.position[i] for i in self.order])
        message.header.stamp = self.get_clock().now().to_msg()
        self.states.publish(message)

    def command(self, message):
        print("COMMAND", time.monotonic(), *message.data, flush=True)
        if self.state == "active":
            self.position = list(message.data)

    def list(self, _request, answer):
        interfaces = [name + "/position" for name in self.joints]
        answer.controller = [ControllerState(
            name=CONTROLLER, state=self.state, required_command_interfaces=interfaces,
            claimed_interfaces=interfaces if self.state == "active" else [])]
        return answer

    def switch(self, request, answer):
        answer.ok = not self.refuses
        if answer.ok and CONTROLLER in request.activate_controllers:
            self.state = "active"
        if answer.ok and CONTROLLER in request.deactivate_controllers:
            self.state = "inactive"
            print("DEACTIVATED", flush=True)
        return answer


def obey(robot):
    for line in sys.stdin:
        word = line.strip()
        robot.is_silent = word == "silent"
        robot.refuses = word == "refuse"


def main():
    names, home = json.loads(sys.argv[1])
    rclpy.init(args=[])
    robot = Robot(names, home, "latched" in sys.argv)
    threading.Thread(target=obey, args=[robot], daemon=True).start()
    print("READY", flush=True)
    rclpy.spin(robot)


main()
