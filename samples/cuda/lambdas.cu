// Lambdas: a variable that the body changes is the variable of the function around it.
__global__ void one_thread_writes_all_read(int *a, int *out) {
  __shared__ int flag;
  int first = [&] {
    if (threadIdx.x == 0)
      flag = a[0];
    __syncthreads();
    return flag;
  }();
  if (first > 0)
    __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void without_the_barrier(int *a, int *out) {
  __shared__ int flag;
  int first = [&] {
    if (threadIdx.x == 0)
      flag = a[0];
    return flag; //~ warning[implicit-warp-synchronous]: `flag`
  }();
  if (first > 0)
    __syncthreads();  //~ warning[divergent-barrier]: `first`
  out[threadIdx.x] = 1;
}

__global__ void changed_by_reference() {
  int x = 0;
  auto f = [&] { x = threadIdx.x; };
  f();
  if (x > 3)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__global__ void changed_to_a_uniform_value(int n) {
  int x = threadIdx.x;
  auto f = [&x](int y) { x = y; };
  f(n);
  if (x > 3)
    __syncthreads();
}

__global__ void one_of_two_is_changed(int n) {
  int x = n, y = n;
  auto f = [&] { y = threadIdx.x; };
  f();
  if (x > 3)
    __syncthreads();
  if (y > 3)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__global__ void changed_in_a_lambda_inside(int n) {
  int x = n;
  auto outer = [&] {
    auto inner = [&] { x = threadIdx.x; };
    inner();
  };
  outer();
  if (x > 3)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__global__ void copy_is_changed(int n) {
  int x = n;
  auto f = [=]() mutable { x = threadIdx.x; };
  f();
  if (x > 3)
    __syncthreads();
}

__global__ void parameter_by_reference(int n) {
  int x = n;
  auto f = [](int &to) { to = threadIdx.x; };
  f(x);
  if (x > 3)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__global__ void result(int n, const int *a) {
  const int first = [&]() -> int {
    if (n > 4)
      return 3;
    return a[0];
  }();
  if (first > 0)
    __syncthreads();
}

__global__ void array(int n) {
  int values[2] = {n, n};
  auto f = [&](int i) { values[i] = threadIdx.x; };
  f(1);
  if (values[1] > 0)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

__global__ void called_by_another(int n, int *out) {
  __shared__ int flag;
  auto set = [&](int value) {
    if (threadIdx.x == 0)
      flag = value;
    __syncthreads();
  };
  auto both = [&] {
    set(n);
    return flag;
  };
  if (both() > 0)
    __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void changed_by_another(int n) {
  int x = n;
  auto change = [&](int value) { x = value; };
  auto twice = [&] {
    change(n);
    change(threadIdx.x);
  };
  twice();
  if (x > 3)
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
}

// A lambda at the start of a statement, after a block and after the head of an `if`.
__global__ void called_as_a_statement(int *p, int n) {
  for (int i = 0; i < n; i++) {
    p[i] = 1;
  }
  [&] {
    if (threadIdx.x < 7)
      return;
    __syncthreads();  //~ error[divergent-barrier]: `threadIdx.x`
  }();
  if (n > 3)
    [&] { __syncthreads(); }();
}

// A lambda uses the shared array itself.
__global__ void shared_array(int *p) {
  __shared__ int tile[8];
  auto at = [&](int i) { return tile[i]; };
  if (threadIdx.x < 8)
    tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (at(0) > 3)
    __syncthreads();
  if (at(threadIdx.x & 7) > 3)
    __syncthreads(); //~ error[divergent-barrier]
}
