/* OpenMP for programs that are checked: what src/openmp has of it.  Found only where no other omp.h is. */
#ifndef TIDEMARK_OMP_H
#define TIDEMARK_OMP_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct omp_lock {
  void *mutex;
} omp_lock_t;
typedef struct omp_nest_lock {
  void *mutex;
} omp_nest_lock_t;
typedef enum omp_sync_hint {
  omp_sync_hint_none = 0,
  omp_sync_hint_uncontended = 1,
  omp_sync_hint_contended = 2,
  omp_sync_hint_nonspeculative = 4,
  omp_sync_hint_speculative = 8,
} omp_sync_hint_t;

int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
void omp_set_num_threads(int count);
int omp_get_num_procs(void);
int omp_in_parallel(void);
int omp_get_level(void);
int omp_get_team_num(void);
int omp_get_num_teams(void);
int omp_get_thread_limit(void);
int omp_get_max_active_levels(void);
void omp_set_max_active_levels(int levels);
int omp_in_final(void);
int omp_get_num_devices(void);
int omp_is_initial_device(void);
void omp_set_dynamic(int on);
int omp_get_dynamic(void);
void omp_set_nested(int on);
int omp_get_nested(void);
double omp_get_wtime(void);
double omp_get_wtick(void);

void omp_init_lock(omp_lock_t *lock);
void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint);
void omp_destroy_lock(omp_lock_t *lock);
void omp_set_lock(omp_lock_t *lock);
void omp_unset_lock(omp_lock_t *lock);
int omp_test_lock(omp_lock_t *lock);
void omp_init_nest_lock(omp_nest_lock_t *lock);
void omp_destroy_nest_lock(omp_nest_lock_t *lock);
void omp_set_nest_lock(omp_nest_lock_t *lock);
void omp_unset_nest_lock(omp_nest_lock_t *lock);

#ifdef __cplusplus
}
#endif

#endif
