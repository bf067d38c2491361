// std::list: what libstdc++ keeps in its library, compiled with the program (see basic_string.tcc).
#pragma once
#pragma GCC system_header
#include_next <bits/stl_list.h>

namespace std {
namespace __detail {
inline void _List_node_base::_M_hook(_List_node_base *const position) _GLIBCXX_USE_NOEXCEPT {
  _List_node_base *before = position->_M_prev;
  _M_next = position;
  _M_prev = before;
  before->_M_next = this;
  position->_M_prev = this;
}

inline void _List_node_base::_M_unhook() _GLIBCXX_USE_NOEXCEPT {
  _List_node_base *next = _M_next, *before = _M_prev;
  before->_M_next = next;
  next->_M_prev = before;
}

inline void _List_node_base::_M_transfer(_List_node_base *const first,
                                         _List_node_base *const last) _GLIBCXX_USE_NOEXCEPT {
  if (this == last)
    return;
  _List_node_base *end = last->_M_prev, *before = _M_prev, *gap = first->_M_prev;
  gap->_M_next = last; // out of where they were
  last->_M_prev = gap;
  before->_M_next = first; // and in front of this
  first->_M_prev = before;
  end->_M_next = this;
  _M_prev = end;
}

inline void _List_node_base::_M_reverse() _GLIBCXX_USE_NOEXCEPT {
  _List_node_base *node = this;
  do {
    _List_node_base *next = node->_M_next;
    node->_M_next = node->_M_prev;
    node->_M_prev = next;
    node = next;
  } while (node != this);
}

// Two rings, of which any may be empty.
inline void _List_node_base::swap(_List_node_base &x, _List_node_base &y) _GLIBCXX_USE_NOEXCEPT {
  bool x_empty = x._M_next == &x, y_empty = y._M_next == &y;
  _List_node_base was = x;
  x._M_next = y_empty ? &x : y._M_next;
  x._M_prev = y_empty ? &x : y._M_prev;
  y._M_next = x_empty ? &y : was._M_next;
  y._M_prev = x_empty ? &y : was._M_prev;
  x._M_next->_M_prev = x._M_prev->_M_next = &x;
  y._M_next->_M_prev = y._M_prev->_M_next = &y;
}
} // namespace __detail
} // namespace std
