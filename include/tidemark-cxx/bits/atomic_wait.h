// std::atomic's wait and notify for `tidemark litmus`: who waits looks until the value has changed.
// libstdc++'s own way there, through tables of waiting threads and system calls, stays unused.
#pragma once
#define __atomic_wait_address_v __library_wait_address_v
#define __atomic_wait_address __library_wait_address
#define __atomic_wait_address_bare __library_wait_address_bare
#define __atomic_notify_address __library_notify_address
#define __atomic_notify_address_bare __library_notify_address_bare
#include_next <bits/atomic_wait.h>
#undef __atomic_wait_address_v
#undef __atomic_wait_address
#undef __atomic_wait_address_bare
#undef __atomic_notify_address
#undef __atomic_notify_address_bare

#if __cplusplus >= 202002L
namespace std {
template <class T, class Look> void __atomic_wait_address_v(const T *, T old, Look look) noexcept {
  if constexpr (__is_scalar(T)) {
    while (look() == old)
      ;
  } else {
    for (T now = look(); !__builtin_memcmp(&now, &old, sizeof now);)
      now = look();
  }
}

template <class T, class Done> void __atomic_wait_address(const T *, Done done) noexcept {
  while (!done())
    ;
}

template <class T, class Done> void __atomic_wait_address_bare(const T *, Done done) noexcept {
  while (!done())
    ;
}

template <class T> void __atomic_notify_address(const T *, bool) noexcept {}

template <class T> void __atomic_notify_address_bare(const T *, bool) noexcept {}
} // namespace std
#endif
