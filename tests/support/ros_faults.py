"""Somebody who breaks a simulated arm while the node drives it, and prints what the node says as JSON lines."""
import json
import sys
import time

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.srv import ChangeState
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rein.msg import Event, SafetyState
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import Trigger

DEADLINE_S = 30.0
COMMANDS = '/forward_position_controller/commands'


class Breaker(Node):
    def __init__(self):
        super().__init__('breaker')
        self.inject_to = self.create_publisher(String, '/rein_sim/inject', 10)
        self.events = []
        self.parts = {}
        self.state = ''
        self.speed = 0.0
        self.create_subscription(Event, '/rein/events', self.on_event, 100)
        self.create_subscription(DiagnosticArray, '/diagnostics', self.on_diagnostics, 10)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.create_subscription(SafetyState, '/rein/safety_state', self.on_state, latched)
        self.create_subscription(JointState, '/joint_states', self.on_joints, rclpy.qos.qos_profile_sensor_data)

    def on_event(self, message):
        self.events.append(message)
        print(json.dumps({'event': message.name, 'row': message.row, 'message': message.message}), flush=True)

    def on_diagnostics(self, message):
        for status in message.status:
            self.parts[status.name] = (ord(status.level), status.message)

    def on_state(self, message):
        self.state = message.state

    def on_joints(self, message):
        self.speed = max((abs(v) for v in message.velocity), default=0.0)

    def until(self, what, is_true):
        end = time.monotonic() + DEADLINE_S
        while not is_true():
            rclpy.spin_once(self, timeout_sec=0.02)
            if time.monotonic() > end:
                raise SystemExit(f'not within {DEADLINE_S} s: {what}; it is {self.state}; {self.parts}')

    def call(self, name, kind=Trigger, **fields):
        client = self.create_client(kind, name)
        self.until(name, client.service_is_ready)
        request = kind.Request()
        if kind is ChangeState:
            request.transition.id = fields['id']
        future = client.call_async(request)
        self.until(f'an answer of {name}', future.done)
        return future.result()

    def transition(self, number):
        end = time.monotonic() + DEADLINE_S
        while not self.call('/rein/change_state', ChangeState, id=number).success:
            if time.monotonic() > end:
                raise SystemExit(f'transition {number} is refused')

    def has(self, row):
        return any(event.row == row for event in self.events)

    def diagnosed(self, level, words):
        return [name for name, (found, message) in self.parts.items() if found >= level and words in message]

    def move(self):
        answer = self.call('/rein/start_episode')
        if not answer.success:
            raise SystemExit(answer.message)
        self.until('motion', lambda: self.state.startswith('active') and self.speed > 0.02)

    def inject(self, text):
        self.inject_to.publish(String(data=text))


def say(**what):
    print(json.dumps(what), flush=True)


rclpy.init()
node = Breaker()
node.transition(1)
node.transition(3)
node.until('the guard', lambda: node.state != '')
node.move()
node.inject('clock_back 5')
node.until('row 22', lambda: node.has(22))
node.until('a diagnostic', lambda: node.diagnosed(1, 'back'))
say(what='jumped', parts=node.diagnosed(1, 'back'), state=node.state)
node.call('/rein/stop')
node.until('a stop', lambda: node.state in ('stopped', 'fault', 'standby'))
end = time.monotonic() + DEADLINE_S
while not node.call('/rein/reset').success and time.monotonic() < end:
    pass
node.move()
node.inject('refuse')
node.until('row 14', lambda: node.has(14))
node.until('fault', lambda: node.state == 'fault')
node.until('a diagnostic', lambda: node.diagnosed(2, 'commanded to move'))
say(what='refused', parts=node.diagnosed(2, 'commanded to move'), state=node.state)
latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
node.create_subscription(Float64MultiArray, COMMANDS, lambda _: None, latched)
node.until('row 33', lambda: node.has(33))
node.until('a diagnostic', lambda: node.diagnosed(1, 'transient local'))
say(what='latched', parts=node.diagnosed(1, 'transient local'))
