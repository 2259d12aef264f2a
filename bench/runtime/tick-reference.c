/*
 * The pattern of the guard's tick without Node: a thread at absolute deadlines that sleeps until 100 us before each, spins the rest and
 * computes. Its lateness is that of the machine. `tick-reference HZ WORK_US raised|normal`; ends on SIGTERM, then prints JSON.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define SPIN_S 100e-6
#define MOST_TICKS 4000000
#define CELLS 4096

static volatile sig_atomic_t is_over;
static double late_s[MOST_TICKS], work_s[MOST_TICKS], cells[CELLS];

static void end(int signal) {
  (void)signal;
  is_over = 1;
}

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double compute(long rounds) {
  double sum = 0;
  for (long i = 0; i < rounds; i++) {
    double *cell = &cells[i % CELLS];
    *cell = 0.999 * *cell + 0.001 * (double)i;
    sum += *cell;
  }
  return sum;
}

static int order(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile_us(const double *sorted, long count, double q) {
  return count == 0 ? 0 : 1e6 * sorted[(long)(q * (double)(count - 1))];
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  const double period_s = 1 / atof(arguments[1]), asked_s = 1e-6 * atof(arguments[2]);
  struct sched_param priority = {.sched_priority = 50};
  signal(SIGTERM, end);
  /* All memory is allocated before the first tick. */
  memset(late_s, 1, sizeof late_s);
  memset(work_s, 1, sizeof work_s);
  mlockall(MCL_CURRENT);
  volatile double sink = 0;
  double best_s = 1;
  for (int i = 0; i < 200; i++) {
    const double from_s = now_s();
    sink += compute(1000);
    const double took_s = now_s() - from_s;
    if (took_s < best_s) best_s = took_s;
  }
  const long rounds = (long)(1000 * asked_s / best_s);
  const int is_raised = strcmp(arguments[3], "raised") == 0 && sched_setscheduler(0, SCHED_FIFO, &priority) == 0;

  long ticks = 0, overruns = 0;
  double deadline_s = now_s() + period_s;
  for (; !is_over && ticks < MOST_TICKS; ticks++) {
    const double wake_s = deadline_s - SPIN_S;
    const struct timespec wake = {(time_t)wake_s, (long)(1e9 * (wake_s - (double)(time_t)wake_s))};
    if (now_s() < wake_s) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
    while (now_s() < deadline_s);
    const double began_s = now_s();
    sink += compute(rounds);
    const double ended_s = now_s();
    late_s[ticks] = began_s - deadline_s;
    work_s[ticks] = ended_s - began_s;
    deadline_s += period_s;
    if (ended_s > deadline_s) {
      overruns++;
      deadline_s += period_s * (double)(long)((ended_s - deadline_s) / period_s);
    }
  }
  qsort(late_s, (size_t)ticks, sizeof *late_s, order);
  qsort(work_s, (size_t)ticks, sizeof *work_s, order);
  printf("{\"isRaised\":%s,\"ticks\":%ld,\"overruns\":%ld,\"p50Us\":%.1f,\"p99Us\":%.1f,\"p999Us\":%.1f,\"maxUs\":%.1f,"
         "\"workP50Us\":%.1f,\"workP99Us\":%.1f,\"workMaxUs\":%.1f}\n",
         is_raised ? "true" : "false", ticks, overruns, quantile_us(late_s, ticks, 0.5), quantile_us(late_s, ticks, 0.99),
         quantile_us(late_s, ticks, 0.999), quantile_us(late_s, ticks, 1), quantile_us(work_s, ticks, 0.5),
         quantile_us(work_s, ticks, 0.99), quantile_us(work_s, ticks, 1));
  return 0;
}
