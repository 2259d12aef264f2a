"""The work of `npm run bench -- learner` in PyTorch, in turns with it: A, B, A, B in one run, a ratio for each pair.

    python3 tests/bench/torch_sac.py                       all three sizes, each way of PyTorch
    python3 tests/bench/torch_sac.py --cases b --pairs 15  one size, more pairs

Each pair is a block of calls here and a block of the same calls there, one after the other, never at the same time. A
ratio above 1: Rein is so many times as fast. PyTorch runs what is best for it: critics of an ensemble as one batched
product (eager), or each by itself (separate), which is faster where this build's batched products are slow; the fused
Adam (foreach where this version has no fused one for the CPU), foreach target updates, and the first compiled by
torch.compile where it works. Build the program first: node scripts/build.js
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

try:
    import torch
    from torch.nn import functional as F
except ImportError as error:
    print(f"torch_sac.py: skipped: PyTorch cannot be imported ({error}). Install it with: pip install torch")
    sys.exit(0)

ROOT = pathlib.Path(__file__).resolve().parents[2]
OBSERVATION, ACTION, WIDTH, BATCH = 24, 6, 256, 256
DISCOUNT, RATE, TARGET_RATE = 0.97, 5e-4, 0.005
TARGET_ENTROPY = -0.5 * ACTION
CASES = {
    "a": {"critics": 2, "norm": False, "updates": 1, "calls": 20},
    "b": {"critics": 2, "norm": False, "updates": 20, "calls": 3},
    "c": {"critics": 10, "norm": True, "updates": 20, "calls": 1},
}
# Waiting threads of both runtimes hold their cores for a while after a block.
PAUSE_S = 0.4


def uniform(*shape):
    bound = (6 / (shape[-2] + shape[-1])) ** 0.5
    return torch.empty(shape).uniform_(-bound, bound)


def mlp(sizes, lead=()):
    """Weights and biases of a perceptron, and scales and shifts after each hidden layer."""
    parameters = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        parameters.append([uniform(*lead, inputs, outputs), torch.zeros(*lead, 1, outputs)])
    return parameters


class Learner:
    """SAC with automatic temperature, or RLPD's ensemble: the least of two random target critics, layer norms."""

    def __init__(self, critics, norm, updates, separate=False, **_):
        self.critics, self.norm, self.updates, self.separate = critics, norm, updates, separate
        self.actor = [p for layer in mlp([OBSERVATION, WIDTH, WIDTH, 2 * ACTION]) for p in layer]
        # In turn: the ensemble's parameters, or those of one critic after the other.
        self.critic = [p for lead in ([()] * critics if separate else [(critics,)]) for p in self.fresh_critic(lead)]
        self.target = [p.clone() for p in self.critic]
        self.log_alpha = torch.tensor([-4.6])
        for p in [*self.actor, *self.critic, self.log_alpha]:
            p.requires_grad_(True)
        self.actor_step, self.critic_step, self.alpha_step = (
            best_adam(parameters) for parameters in (self.actor, self.critic, [self.log_alpha])
        )
        k = updates
        self.observation, self.next_observation = torch.randn(2, k, BATCH, OBSERVATION)
        self.action = torch.rand(k, BATCH, ACTION) * 2 - 1
        self.reward = torch.rand(k, BATCH, 1)
        self.discount = torch.full((k, BATCH, 1), DISCOUNT)
        self.next_noise = torch.randn(k, BATCH, ACTION)
        self.noise = torch.randn(BATCH, ACTION)
        self.subset = [torch.randperm(critics)[:2] for _ in range(k)]

    def fresh_critic(self, lead):
        parameters = [p for layer in mlp([OBSERVATION + ACTION, WIDTH, WIDTH, 1], lead) for p in layer]
        if self.norm:
            for _ in range(2):
                parameters += [torch.ones(*lead, 1, WIDTH), torch.zeros(*lead, 1, WIDTH)]
        return parameters

    def policy(self, observation, noise):
        w0, b0, w1, b1, w2, b2 = self.actor
        h = F.relu(torch.addmm(b0, observation, w0))
        h = F.relu(torch.addmm(b1, h, w1))
        mean, raw = torch.addmm(b2, h, w2).chunk(2, -1)
        log_std = torch.tanh(raw) * 3.5 - 1.5
        u = mean + log_std.exp() * noise
        gaussian = -0.5 * noise.square() - log_std - 0.9189385332046727
        squash = 2 * (0.6931471805599453 - u - F.softplus(-2 * u))
        return torch.tanh(u), (gaussian - squash).sum(-1, keepdim=True)

    def values(self, parameters, observation, action):
        """[members, B, 1]"""
        x = torch.cat([observation, action], -1)
        if not self.separate:
            return self.hidden_values(parameters, x.expand(parameters[0].shape[0], -1, -1), torch.baddbmm)
        return torch.stack([self.hidden_values(one, x, torch.addmm) for one in self.members(parameters)])

    def members(self, parameters):
        each = len(self.critic) // self.critics
        return [parameters[i : i + each] for i in range(0, len(parameters), each)]

    def hidden_values(self, parameters, x, linear):
        w0, b0, w1, b1, w2, b2 = parameters[:6]
        h = linear(b0, x, w0)
        h = F.relu(self.normalised(h, *parameters[6:8]) if self.norm else h)
        h = linear(b1, h, w1)
        h = F.relu(self.normalised(h, *parameters[8:10]) if self.norm else h)
        return linear(b2, h, w2)

    def normalised(self, h, scale, shift):
        """One pass where it can be: PyTorch's layer norm takes one scale and shift, not those of each member."""
        if self.separate:
            return F.layer_norm(h, (WIDTH,), scale[0], shift[0])
        return F.layer_norm(h, (WIDTH,)) * scale + shift

    def target_members(self, subset):
        if self.critics == 2:
            return self.target
        if not self.separate:
            return [p.index_select(0, subset) for p in self.target]
        members = self.members(self.target)
        return [p for i in subset.tolist() for p in members[i]]

    def critic_loss(self, observation, action, reward, discount, next_observation, noise, subset):
        with torch.no_grad():
            next_action, log_probability = self.policy(next_observation, noise)
            least = self.values(self.target_members(subset), next_observation, next_action).amin(0)
            y = reward + discount * (least - self.log_alpha.exp() * log_probability)
        return (self.values(self.critic, observation, action) - y).square().mean()

    def actor_loss(self, observation, noise):
        action, log_probability = self.policy(observation, noise)
        value = self.values(self.critic, observation, action).mean(0)
        loss = (self.log_alpha.exp().detach() * log_probability - value).mean()
        return loss, log_probability.mean().detach()

    def call(self, critic_loss, actor_loss):
        for k in range(self.updates):
            self.critic_step.zero_grad(set_to_none=True)
            loss = critic_loss(
                self.observation[k], self.action[k], self.reward[k], self.discount[k],
                self.next_observation[k], self.next_noise[k], self.subset[k],
            )
            loss.backward()
            self.critic_step.step()
            with torch.no_grad():
                follow(self.target, self.critic)
        self.actor_step.zero_grad(set_to_none=True)
        self.alpha_step.zero_grad(set_to_none=True)
        for p in self.critic:
            p.requires_grad_(False)
        loss, log_probability = actor_loss(self.observation[-1], self.noise)
        loss.backward()
        for p in self.critic:
            p.requires_grad_(True)
        self.actor_step.step()
        (self.log_alpha.exp() * (-log_probability - TARGET_ENTROPY)).sum().backward()
        self.alpha_step.step()


def follow(target, online):
    if hasattr(torch, "_foreach_lerp_"):
        torch._foreach_lerp_(target, online, TARGET_RATE)
    else:  # before 2.0
        torch._foreach_mul_(target, 1 - TARGET_RATE)
        torch._foreach_add_(target, online, alpha=TARGET_RATE)


def best_adam(parameters):
    for option in ({"fused": True}, {"foreach": True}):
        try:
            return torch.optim.Adam(parameters, lr=RATE, **option)
        except (RuntimeError, TypeError):
            continue
    return torch.optim.Adam(parameters, lr=RATE)


def ways(names, case):
    """For each way that works in this version: its name and a function that runs one call."""
    for name in names:
        torch.manual_seed(1)
        learner = Learner(**case, separate=name == "separate")
        losses = (learner.critic_loss, learner.actor_loss)
        try:
            if name == "compiled":
                losses = tuple(torch.compile(loss) for loss in losses)
            learner.call(*losses)
            learner.call(*losses)
        except Exception as error:  # a version without a compiler, or a compiler without a C++ one
            print(f"  {name}: not here ({str(error).splitlines()[0][:100]})")
            continue
        yield name, lambda learner=learner, losses=losses: learner.call(*losses)


def timed(call, calls):
    """ms of each of `calls` calls, after one that does not count."""
    call()
    ms = []
    for _ in range(calls):
        start = time.perf_counter()
        call()
        ms.append(1000 * (time.perf_counter() - start))
    return ms


class Rein:
    """The bench of this repository, waiting for blocks to run."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def block(self, case, calls):
        self.process.stdin.write(json.dumps({"case": case, "calls": calls + 1}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line == "":
            sys.exit("torch_sac.py: the bench of Rein ended; what it said is above.")
        return json.loads(line)["ms"][1:]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="abc", help="letters of the sizes")
    parser.add_argument("--ways", default="eager,separate,compiled", help="of PyTorch")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="for both")
    parser.add_argument("--rein", default="node dist/bench/main.js learner --blocks", help="how to start Rein's side")
    parser.add_argument("--json", help="write the ratios there")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    rein = Rein([*arguments.rein.split(), "--threads", str(arguments.threads)])
    print(f"PyTorch {torch.__version__}, {arguments.threads} thread(s) each")
    results = {}
    for name in arguments.cases:
        case = CASES[name]
        print(f"({name}) {case['critics']} critics, {case['updates']} updates a call")
        rein.block(name, 1)
        for way, call in ways(arguments.ways.split(","), case):
            results[f"{name} {way}"] = compare(name, way, call, case["calls"], rein, arguments.pairs)
        measured = {key: value for key, value in results.items() if key.startswith(f"{name} ")}
        if measured:
            best = min(measured, key=lambda key: measured[key]["ratio"])
            print(f"  PyTorch's best is {best[2:]}: Rein is {measured[best]['ratio']:.2f} times as fast")
    rein.close()
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=2) + "\n")


def compare(name, way, call, calls, rein, pairs):
    ratios, torch_all, rein_all = [], [], []
    for pair in range(pairs):
        torch_ms = statistics.median(timed(call, calls))
        time.sleep(PAUSE_S)
        rein_ms = statistics.median(rein.block(name, calls))
        time.sleep(PAUSE_S)
        ratios.append(torch_ms / rein_ms)
        torch_all.append(torch_ms)
        rein_all.append(rein_ms)
        print(f"  {way}, pair {pair + 1}: PyTorch {torch_ms:.2f} ms, Rein {rein_ms:.2f} ms, ratio {ratios[-1]:.2f}")
    result = {
        "torch_ms": statistics.median(torch_all),
        "rein_ms": statistics.median(rein_all),
        "ratio": statistics.median(ratios),
        "ratios": ratios,
    }
    print(f"  {way}: median {result['torch_ms']:.2f} against {result['rein_ms']:.2f} ms, ratio {result['ratio']:.2f}")
    return result


if __name__ == "__main__":
    main()
